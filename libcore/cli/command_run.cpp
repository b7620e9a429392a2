#include "libcore/cli/command_run.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <nlohmann/json.hpp>

#include "libcore/base/error.h"
#include "libcore/base/log.h"
#include "libcore/base/text.h"
#include "libcore/cli/depfile.h"
#include "libcore/cli/run_summary.h"
#include "libcore/cli/version.h"
#include "libcore/kernels/kernels.h"
#include "libcore/metrics/run_log.h"
#include "libcore/report/report.h"
#include "libcore/system/clock.h"
#include "libcore/system/output_file.h"
#include "libcore/system/output_paths.h"
#include "libcore/system/restarted_calls.h"

namespace frugal {
namespace {

using Json = nlohmann::ordered_json;

/// JSON text whatever bytes file names hold.
std::string dump(const Json& json, int indent = -1) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

/// A word as a shell would need it.
std::string shell_quoted(const std::string& word) {
  const char* plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789@%_+=:,./-";
  if (!word.empty() && word.find_first_not_of(plain) == std::string::npos) return word;
  std::string out = "'";
  for (const char c : word) {
    if (c == '\'') out += "'\\'";
    out += c;
  }
  out += '\'';
  return out;
}

constexpr int kTableDigits = 6;  // of a number in a report

/// The plain values of a result, for a report that the command left empty.
Table result_table(const Json& result) {
  Table table{"Result", {"name", "value"}, {}};
  for (const auto& [name, value] : result.items()) {
    if (value.is_structured() || name == "schema") continue;
    std::string text = value.is_string() ? value.get<std::string>() : dump(value);
    if (value.is_number_float()) text = format_number(value.get<double>(), kTableDigits);
    table.rows.push_back({name, std::move(text)});
  }
  return table;
}

/// The numbers of a result, for the metrics of a command that has no steps.
StepValues result_values(const Json& result) {
  StepValues values;
  for (const auto& [name, value] : result.items()) {
    if (value.is_number()) values.emplace_back(name, value.get<double>());
  }
  return values;
}

void keep_apart(const std::string& output, const std::string& input) {
  if (!same_file(output, input)) return;
  fail(ExitStatus::usage, output, ": is an input too, expected another file for the output");
}

}  // namespace

void print_text(std::string_view text) {
  if (write_all(STDOUT_FILENO, text.data(), text.size())) return;
  fail(ExitStatus::io_error, "cannot write standard output: ", errno_text(errno));
}

CommandRun::CommandRun(RunSetup setup)
    : setup_(std::move(setup)), result_(std::make_unique<Json>()) {
  Json argv = setup_.words;
  argv.insert(argv.begin(), setup_.tool);
  history_ = dump({{"argv", argv},
                   {"version", version_text()},
                   {"time", static_cast<std::int64_t>(unix_seconds())}});
  (*result_)["schema"] = setup_.tool + "." + setup_.command + "/1";
  for (const std::string& path : setup_.config_files) reads(path);
  for (const std::string& path : {setup_.common.report, setup_.common.depfile}) {
    if (path != "-") check_output(path);
  }
  for (const std::string& path : {setup_.common.metrics, setup_.common.report}) {
    if (!path.empty()) claim(path, own_outputs_);
  }
  keeps(setup_.common.depfile);
}

CommandRun::~CommandRun() = default;

std::string CommandRun::result_config() const {
  std::string text;
  for (const std::string_view line : split(setup_.config, '\n')) {
    if (!line.empty() && !line.starts_with("threads:")) (text += line) += '\n';
  }
  return text;
}

Precision CommandRun::precision() const {
  const std::string& name = setup_.common.precision;
  return name == "bf16" ? Precision::bf16 : name == "f32" ? Precision::f32 : Precision::automatic;
}

void CommandRun::say(const std::string& line) {
  if (setup_.common.json || setup_.common.quiet) return;
  if (stdout_taken_) {
    log_info(line);
  } else {
    print_text(terminal_text(line) + "\n");
  }
}

std::unique_ptr<Progress> CommandRun::progress(const std::string& task, double total,
                                               const std::string& unit) {
  const CommonOptions& options = setup_.common;
  return make_progress(progress_style(options.progress, options.quiet), use_color(options.color, 2),
                       {task, total, unit});
}

RunLog& CommandRun::log() {
  if (!log_) {
    log_ = std::make_unique<RunLog>(setup_.common.metrics, setup_.common.tensorboard, log_header());
  }
  return *log_;
}

Report& CommandRun::report() {
  if (!report_) report_ = std::make_unique<Report>(setup_.tool + " " + setup_.command);
  return *report_;
}

void CommandRun::reads(const std::string& path) {
  if (path.empty()) return;
  if (path == "-" && std::find(inputs_.begin(), inputs_.end(), path) != inputs_.end()) {
    fail(ExitStatus::usage, "-: is several inputs, expected one of them on stdin");
  }
  for (const auto* outputs : {&outputs_, &own_outputs_, &kept_}) {
    for (const std::string& output : *outputs) keep_apart(output, path);
  }
  if (!setup_.common.depfile.empty()) check_depfile_name(path, /*is_output=*/false);
  inputs_.push_back(path);
}

/// Adds an output that is neither an input nor another output.
void CommandRun::claim(const std::string& path, std::vector<std::string>& to) {
  for (const std::string& input : inputs_) keep_apart(path, input);
  for (const auto* outputs : {&outputs_, &own_outputs_, &kept_}) {
    for (const std::string& other : *outputs) {
      if (!same_file(path, other)) continue;
      fail(ExitStatus::usage, path, ": is another output too, expected a file for each");
    }
  }
  const bool in_rule = &to != &kept_ && !setup_.common.depfile.empty();
  if (in_rule) check_depfile_name(path, /*is_output=*/true);
  to.push_back(path);
}

void CommandRun::writes(const std::string& path) {
  if (path.empty()) return;
  claim(path, outputs_);
  if (path != "-") return;
  if (setup_.common.json) {
    fail(ExitStatus::usage,
         "--json and an output of '-' both need standard output; write the output to a file");
  }
  stdout_taken_ = true;
}

void CommandRun::keeps(const std::string& path) {
  if (!path.empty()) claim(path, kept_);
}

void CommandRun::finish() {
  const CommonOptions& options = setup_.common;
  const bool metrics_wanted = !options.metrics.empty() || !options.tensorboard.empty();
  if (metrics_wanted && !log_) log().step(0, result_values(*result_));
  if (log_) log_->result(dump(*result_));
  if (!options.report.empty()) {
    if (report().empty()) report().add_table(result_table(*result_));
    RunSummary& summary = report().summary();
    complete_summary(*result_, setup_.config, summary);
    if (summary.machine.empty()) summary.machine = machine_text();
    report().set_origin(command_line(), setup_.config);
    if (options.report_append) {
      report().append_to(options.report);
    } else {
      report().write(options.report);
    }
  }
  outputs_.insert(outputs_.end(), own_outputs_.begin(), own_outputs_.end());
  if (!options.depfile.empty()) write_file(options.depfile, depfile_text(outputs_, inputs_));
  if (!options.json) return;
  const std::string text = dump(*result_, 2) + "\n";
  print_text(isatty(STDOUT_FILENO) == 1 ? terminal_text(text) : text);
}

std::string CommandRun::command_line() const {
  std::string line = setup_.tool;
  for (const std::string& word : setup_.words) line.append(" ").append(shell_quoted(word));
  return line;
}

std::string CommandRun::simd() const { return kernels().name; }

std::string CommandRun::machine_text() const {
  const std::string& device = setup_.common.device;
  const auto threads = static_cast<std::uint64_t>(setup_.threads);
  std::string text = simd() + ", " + format_count(threads, "thread");
  if (!device.empty() && device != "auto") text += ", " + device;
  return text + ", " + cpu_model();
}

std::string CommandRun::log_header() const {
  return dump({{"tool", setup_.tool},
               {"command", setup_.command},
               {"argv", setup_.words},
               {"config", setup_.config},
               {"versions", version_json(setup_.tool, setup_.asks_for_device)},
               {"machine", {{"cpu", cpu_model()}, {"simd", simd()}, {"threads", setup_.threads}}},
               {"seed", setup_.common.seed},
               {"time", unix_seconds()}});
}

}  // namespace frugal
