#include "libcore/cli/run_tool.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <new>
#include <nlohmann/json.hpp>
#include <optional>
#include <system_error>

#include "libcore/base/log.h"
#include "libcore/base/text.h"
#include "libcore/cli/command_options.h"
#include "libcore/cli/command_run.h"
#include "libcore/cli/name_guess.h"
#include "libcore/cli/tool_table.h"
#include "libcore/cli/version.h"
#include "libcore/device/registry.h"
#include "libcore/kernels/gemm.h"
#include "libcore/kernels/kernels.h"
#include "libcore/parallel/join.h"
#include "libcore/parallel/shard.h"
#include "libcore/system/cores/auto_threads.h"
#include "libcore/system/output_file.h"
#include "libcore/system/unfinished_files.h"
#include "libcore/threading/parallel.h"

namespace frugal {
namespace {

using Words = std::vector<std::string>;

/// Whether this process prints results: true on the first rank only.
bool first_rank = true;

/// Number of threads of the command, or 0 before it is known. Stored here because libgomp, which
/// also has it, may be what failed.
std::atomic<int> threads_wanted{0};

const Command& find_command(const Tool& tool, const std::string& name) {
  std::vector<std::string> names;
  for (const Command& command : tool.commands) {
    if (command.name == name) return command;
    names.push_back(command.name);
  }
  std::string guess = name_guess(name, names);
  if (guess.empty()) {
    for (const std::string& known : names) guess += (guess.empty() ? "; known are " : ", ") + known;
  }
  fail(ExitStatus::usage, "unknown command '", printable(name), "'", guess);
}

LogLevel log_level_for(const CommonOptions& options) {
  if (options.quiet) return LogLevel::quiet;
  return options.verbose >= 2   ? LogLevel::debug
         : options.verbose == 1 ? LogLevel::verbose
                                : LogLevel::normal;
}

int prepare_machine(const CommonOptions& options, const CommandOptions& given,
                    const std::string& tool, const Command& command) {
  given.use("device",
            [&] { check_device(options.device, tool + " " + command.name, command.uses.engine); });
  int threads = 1;
  given.use("threads", [&] { threads = resolve_threads(options.threads); });
  set_num_threads(threads);
  given.use("simd", [&] { set_simd(options.simd.c_str()); });
  if (command.uses.precision && options.precision == "bf16" && !has_bf16_instructions()) {
    log_info(
        "--precision bf16: vector instructions of level ", kernels().name,
        " have no products of bf16 numbers; numbers are rounded to bf16 and multiplied as f32, "
        "about as fast as with --precision f32");
  }
  return threads;
}

/// Refuses the commonest accident with launchers: n copies that write the same file.
void refuse_copies(const std::string& output) {
  const Launched launched = launched_copies();
  if (launched.rank == 0 || output.empty() || output == "-") return;
  fail(ExitStatus::usage, launched.size,
       " copies of this command were started and each would write '", printable(output),
       "'; this is number ", launched.rank, " (", launched.variable, "): start one");
}

/// Refuses parts of --shard auto that would overwrite each other's output.
void refuse_one_output(const std::string& output, const Shard& shard) {
  const bool is_stream = output.empty() || output == "-";
  if (shard.count == 1 || is_stream || shard_path(output, shard) != output) return;
  fail(ExitStatus::usage, "--shard auto: ", shard.count, " parts would each be written to '",
       printable(output), "', expected {shard} in its name");
}

/// Disables outputs on a rank other than the first, and puts the rank into its error messages.
void leave_outputs_to_first(CommonOptions& common, const std::string& tool, int rank) {
  common.json = common.report_append = false;
  common.metrics = common.tensorboard = common.report = common.depfile = "";
  common.progress = "never";
  common.quiet = true;
  set_log(LogLevel::quiet, tool + ": rank " + std::to_string(rank));
  first_rank = false;
}

ExitStatus run_command(const Tool& tool, const Command& command, const Words& words) {
  BoundOptions bound;
  CommandOptions options(command, bound);
  options.apply_layers({words.begin() + 1, words.end()});
  if (bound.meta.help || bound.meta.short_help) {
    print_text(bound.meta.help ? command_help(tool, command, options.table())
                               : short_help(tool, command, options.table()));
    return ExitStatus::ok;
  }
  const std::string config = options.config_text(tool.name + " " + command.name);
  if (bound.meta.print_config) {
    print_text(config);
    return ExitStatus::ok;
  }
  set_log(log_level_for(bound.common), tool.name);
  const std::unique_ptr<Communicator> ranks = command.joins_ranks ? join_ranks() : single_process();
  if (ranks->rank() != 0) leave_outputs_to_first(bound.common, tool.name, ranks->rank());
  expect_agreement(*ranks, version_line(tool.name) + "\n" + config);
  if (ranks->rank() == 0) options.check_configured_targets();
  if (command.shard != nullptr) *command.shard = resolve_shard(bound.shard);
  if (bound.shard.empty() && !command.joins_ranks) refuse_copies(options.value("output"));
  if (bound.shard == "auto") refuse_one_output(options.value("output"), *command.shard);
  leave_equal_files(bound.common.if_changed);
  CommandRun run({tool.name, command.name, words, bound.meta.config, config, bound.common,
                  prepare_machine(bound.common, options, tool.name, command), ranks.get(),
                  !command.uses.engine.empty() && bound.common.device != "cpu"});
  threads_wanted = run.threads();
  std::optional<HeldOutputs> held;
  if (command.holds_outputs) held.emplace();
  const ExitStatus status = command.run(run);
  run.finish();
  if (held) held->publish();
  return status;
}

void print_version(const Tool& tool, const Words& words) {
  const bool json = words.size() == 2 && words[1] == "--json";
  if (words.size() > 1 && !json)
    fail(ExitStatus::usage, "unexpected argument '", printable(words[1]), "'");
  print_text(json ? version_json(tool.name, true).dump(2) + "\n" : version_line(tool.name) + "\n");
}

void print_generated(const Tool& tool, const Words& words) {
  static const std::string name = "--generate=";
  const bool joined = words[0].starts_with(name);
  const std::size_t values = joined ? 1 : 2;
  if (words.size() < values) fail(ExitStatus::usage, "--generate needs a value");
  const std::string what = joined ? words[0].substr(name.size()) : words[1];
  const ToolTable table = inspect_tool(tool);
  const bool of_command = what == "man" && words.size() > values;
  const std::size_t used = of_command ? values + 1 : values;
  if (words.size() > used)
    fail(ExitStatus::usage, "unexpected argument '", printable(words[used]), "'");
  print_text(of_command ? command_page(table, find_command(tool, words[values]))
                        : generate(table, what));
}

ExitStatus dispatch(const Tool& tool, const Words& words) {
  if (words.empty()) fail(ExitStatus::usage, "no command given; try '", tool.name, " --help'");
  const std::string& first = words[0];
  if (first == "-h" || first == "--help") {
    print_text(tool_help(tool, first == "--help"));
  } else if (first == "--version") {
    print_version(tool, words);
  } else if (first == "--generate" || first.starts_with("--generate=")) {
    print_generated(tool, words);
  } else if (first.starts_with("-")) {
    const std::vector<std::string> names{"--help", "--version", "--generate"};
    const std::string guess = did_you_mean(first, names);
    fail(ExitStatus::usage, "unknown option '", printable(first), "'",
         guess.empty() ? "; options come after the command" : guess);
  } else {
    return run_command(tool, find_command(tool, first), words);
  }
  return ExitStatus::ok;
}

/// Occupies standard descriptors that the caller closed: otherwise a file would get their number,
/// and messages would be written into it. Using them still fails.
void occupy_standard_descriptors() {
  for (int descriptor = 0; descriptor <= 2; ++descriptor) {
    if (fcntl(descriptor, F_GETFD) >= 0) continue;
    open("/dev/null", descriptor == 0 ? O_WRONLY : O_RDONLY);  // takes the lowest free number
  }
}

/// Whether a signal stopped the command; all ranks stop at the same step.
bool is_stop(ExitStatus status) {
  return status == ExitStatus::stopped || static_cast<int>(status) > 128;
}

/// True while a command works, when none of our code calls exit().
std::atomic<bool> at_work{false};

void say_no_threads(const std::string& reason) {
  const std::string number = threads_wanted == 0 ? "" : std::to_string(threads_wanted) + " ";
  log_line(LogLevel::quiet, "cannot start " + number + "threads: " + reason +
                                "; give --threads a smaller number, or raise the limits of memory "
                                "and processes");
}

/// Reports the error when libgomp calls exit(1) because it cannot start a thread.
void refuse_to_exit() {
  if (!at_work) return;
  remove_unfinished();
  say_no_threads("the system refused");
  _exit(static_cast<int>(ExitStatus::unavailable));
}

[[noreturn]] void end_without_memory() {
  constexpr std::string_view kText = "out of memory\n";
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, kText.data(), kText.size());
  remove_unfinished();
  _exit(static_cast<int>(ExitStatus::unavailable));
}

/// Ends the process where nothing can be caught: memory is missing before main(), or while an error
/// is reported.
[[noreturn]] void end_at_once() {
  try {
    if (std::current_exception()) throw;
  } catch (const std::bad_alloc&) {
    end_without_memory();
  } catch (...) {  // ends as any other does
  }
  std::abort();
}

/// Ends the process if not even a page of memory is left: no error could be reported, and libraries
/// would crash during unwinding. Larger requests that fail throw as usual.
void give_up_memory() {
  constexpr std::size_t kPage = 4096;
  void* volatile page = std::malloc(kPage);
  if (page == nullptr) end_without_memory();
  std::free(page);
  throw std::bad_alloc();
}

/// Runs before the constructors of other objects, which may run out of memory, too.
[[gnu::constructor(101)]] void install_memory_handlers() {
  std::set_terminate(end_at_once);
  std::set_new_handler(give_up_memory);
}

ExitStatus status_of(const std::system_error& error) {
  if (error.code() == std::errc::resource_unavailable_try_again) {
    say_no_threads(errno_text(error.code().value()));
    return ExitStatus::unavailable;
  }
  if (const auto* const files = dynamic_cast<const std::filesystem::filesystem_error*>(&error)) {
    log_line(LogLevel::quiet,
             printable(files->path1().string()) + ": " + errno_text(error.code().value()));
    return ExitStatus::io_error;
  }
  log_line(LogLevel::quiet,
           std::string("internal error: ") + error.what() + "; please report this");
  return ExitStatus::internal;
}

ExitStatus run_guarded(const Tool& tool, int argc, char** argv) {
  try {
    return dispatch(tool, Words(argv + 1, argv + std::max(argc, 1)));
  } catch (const Error& error) {
    if (first_rank || !is_stop(error.status())) log_line(LogLevel::quiet, error.what());
    return error.status();
  } catch (const std::bad_alloc&) {
    log_line(LogLevel::quiet, "out of memory");
    return ExitStatus::unavailable;
  } catch (const std::system_error& error) {
    return status_of(error);
  } catch (const std::exception& error) {
    log_line(LogLevel::quiet,
             std::string("internal error: ") + error.what() + "; please report this");
  }
  return ExitStatus::internal;
}

}  // namespace

int run_tool(const Tool& tool, int argc, char** argv) {
  occupy_standard_descriptors();
  set_log(LogLevel::normal, tool.name);
  std::signal(SIGPIPE, SIG_DFL);
  std::signal(SIGXFSZ, SIG_IGN);
  static const bool registered = std::atexit(refuse_to_exit) == 0;
  static_cast<void>(registered);
  at_work = true;
  const ExitStatus status = run_guarded(tool, argc, argv);
  at_work = false;
  if (status != ExitStatus::ok) end_ranks(static_cast<int>(status), is_stop(status));
  return static_cast<int>(status);
}

}  // namespace frugal
