// A tool that exists for the tests of libcore/cli only: one option of each type, and commands that
// end in each way that a command can.
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <new>
#include <nlohmann/json.hpp>
#include <system_error>
#include <thread>

#include "libcore/base/log.h"
#include "libcore/base/text.h"
#include "libcore/cli/run_tool.h"
#include "libcore/cli/tool.h"
#include "libcore/parallel/shard.h"
#include "libcore/system/output_file.h"

using namespace frugal;

namespace {

struct ShowOptions {
  std::vector<std::string> inputs;
  std::string output;
  std::string name = "plain";
  double rate = 0.05;
  int shift = -3;
  unsigned tables = 50;
  std::uint64_t bytes = 0;
  std::uint64_t buffer = std::uint64_t{64} << 10;
  std::string loss = "softmax";
  bool shuffle = true;
  bool fast = false;
  std::vector<int> layers{128};
  std::vector<std::string> columns;
  std::vector<double> betas{0.9, 0.999};
};

void add_show_options(const OptionFields& f, ShowOptions& o) {
  f.add("inputs", o.inputs, "files to show");
  f.add("-o,--output", o.output, "file to write").metavar("FILE");
  f.add("--name", o.name, "any text");
  f.add("--rate", o.rate, "learning rate").positive();
  f.add("--shift", o.shift, "may be negative");
  f.group("Hashing").add("--lsh-tables", o.tables, "number of hash tables, L").range(1, 1024);
  f.add("--big", o.bytes, "64 bits wide");
  f.add_bytes("--buffer", o.buffer, "size of the buffer");
  f.add("--loss", o.loss, "what to minimise").choices({"softmax", "bce"});
  f.add("--shuffle,!--no-shuffle", o.shuffle, "draw examples in random order");
  f.add("-x,--fast", o.fast, "hurry");
  f.add("--layers", o.layers, "width of each hidden layer");
  f.add("--columns", o.columns, "names of columns");
  f.add("--betas", o.betas, "decay rates").expected(2);
}

template <class T>
std::string listed(const std::vector<T>& values) {
  std::ostringstream out;
  for (const T& value : values) out << '<' << value << '>';
  return out.str();
}

ExitStatus show(Run& run, const ShowOptions& o) {
  std::ostringstream out;
  out << "inputs " << listed(o.inputs) << "\nname <" << o.name << ">\nrate " << o.rate << "\nshift "
      << o.shift << "\nlsh-tables " << o.tables << "\nbig " << o.bytes << "\nbuffer " << o.buffer
      << "\nloss " << o.loss << "\nshuffle " << o.shuffle << "\nfast " << o.fast << "\nlayers "
      << listed(o.layers) << "\ncolumns " << listed(o.columns) << "\nbetas " << listed(o.betas)
      << "\nseed " << run.options().seed << "\nthreads " << run.threads();
  for (const std::string& input : o.inputs) run.reads(input);
  run.result()["layers"] = o.layers;
  run.result()["rate"] = o.rate;
  if (!o.output.empty()) {
    run.writes(o.output);
    OutputFile file(o.output, {.binary = true});
    file.write("data\n", 5);
    file.commit();
  }
  run.say(out.str());
  log_verbose("a verbose line");
  return ExitStatus::ok;
}

struct EndOptions {
  std::string how;
};

ExitStatus end(Run&, const EndOptions& o) {
  if (o.how == "input")
    fail(ExitStatus::bad_input, "data.txt: line 17: expected a number, found 'x'");
  if (o.how == "memory") throw std::bad_alloc();
  if (o.how == "exit") std::exit(1);  // as libgomp does where it cannot start a thread
  if (o.how == "threads") {
    throw std::system_error(std::make_error_code(std::errc::resource_unavailable_try_again));
  }
  if (o.how == "file") static_cast<void>(std::filesystem::file_size("no-such-file"));
  if (o.how == "bug") throw std::logic_error("the index is out of range");
  if (o.how == "stopped") return ExitStatus::stopped;
  if (o.how == "different") return ExitStatus::check_failed;
  return ExitStatus::ok;
}

/// Prints until somebody stops it.
ExitStatus flood(Run& run) {
  for (int i = 0; i < 1000000; ++i) run.say("a line");
  return ExitStatus::ok;
}

/// Waits for a signal; the file `waiting` says that it can come.
ExitStatus wait(Run&) {
  write_file("waiting", "");
  for (;;) pause();
}

ExitStatus part(Run& run, const Shard& shard) {
  run.say(shard_path("part {shard}", shard));
  return ExitStatus::ok;
}

ExitStatus work(Run& run, const TrainerOptions& trainer) {
  const auto progress = run.progress("work", 100, "items");
  for (int i = 1; i <= 100; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(3));  // a bar is drawn every 100 ms
    progress->update(i, "loss 0.5");
  }
  progress->finish();
  run.say("checkpoint every " + format_number(trainer.checkpoint_every) + " s");
  return ExitStatus::ok;
}

Command simple_command(const std::string& name, const std::string& summary,
                       std::function<ExitStatus(Run&)> run) {
  Command command;
  command.name = name;
  command.summary = summary;
  command.run = std::move(run);
  return command;
}

}  // namespace

int main(int argc, char** argv) {
  ShowOptions show_options;
  EndOptions end_options;
  TrainerOptions trainer;
  const Command show_command{
      .name = "show",
      .summary = "prints the options in force",
      .description =
          "Prints every option, one a line.\n\nThe second paragraph has a .dot at a line's start:\n"
          ".TH and a back\\slash, a 'quote' and a hy-phen.",
      .examples = {{"demo-tool show --layers 64,32 a.txt", "two hidden layers"}},
      .often = {"--rate", "--shuffle", "--loss"},
      .describe = [&](const OptionFields& f) { add_show_options(f, show_options); },
      .describe_results = nullptr,
      .uses = {.seed = true, .precision = true, .device = true},
      .trainer = nullptr,
      .shard = nullptr,
      .run = [&](Run& run) { return show(run, show_options); }};
  Command end_command =
      simple_command("end", "ends in a given way", [&](Run& run) { return end(run, end_options); });
  end_command.description = "For tests of exit statuses.";
  end_command.describe = [&](const OptionFields& f) {
    f.add("how", end_options.how, "the way to end")
        .required()
        .choices(
            {"ok", "input", "memory", "bug", "file", "threads", "exit", "stopped", "different"});
  };
  Command work_command =
      simple_command("work", "shows progress", [&](Run& run) { return work(run, trainer); });
  work_command.trainer = &trainer;
  Shard shard;
  Command part_command = simple_command("part", "names its part of the work",
                                        [&](Run& run) { return part(run, shard); });
  part_command.shard = &shard;
  const Tool tool{.name = "demo-tool",
                  .summary = "shows what every tool can do",
                  .description = "Exists for tests only.",
                  .commands = {show_command, end_command, work_command, part_command,
                               simple_command("flood", "prints a million lines", flood),
                               simple_command("wait", "waits for a signal", wait)},
                  .see_also = {"tensor-file(5)"}};
  return run_tool(tool, argc, argv);
}
