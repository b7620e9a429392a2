#include "tools/hw-probe/commands/log_file.h"

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "libcore/base/error.h"
#include "libcore/base/text.h"
#include "libcore/cli/yaml_config.h"
#include "libcore/streams/json_text.h"
#include "libcore/streams/line_reader.h"

namespace frugal::probe {
namespace {

using Json = nlohmann::ordered_json;

std::string text_of(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

void take_machine(const Json& line, RunRecord* run) {
  const auto machine = line.find("machine");
  if (machine == line.end() || !machine->is_object()) return;
  run->cpu = printable(text_of(*machine, "cpu"));
  const auto threads = machine->find("threads");
  if (threads != machine->end() && threads->is_number_unsigned()) {
    run->threads = std::max(1.0, threads->get<double>());
  }
}

void take_header(const Json& line, const std::string& place, RunRecord* run) {
  run->tool = printable(text_of(line, "tool"));
  run->command = printable(text_of(line, "command"));
  take_machine(line, run);
  try {
    for (const Setting& setting : parse_config(text_of(line, "config"), place + "'config'")) {
      run->settings[setting.key] = setting.values;
    }
  } catch (const Error& error) {  // a log is data: parse_config() takes it for the user's own words
    fail(ExitStatus::bad_input, error.what());
  }
}

/// Adds the metrics of a line that an epoch ended with to the learning curves.
void take_curves(const Json& line, RunRecord* run) {
  const auto epoch = line.find("epoch");
  if (epoch == line.end() || !epoch->is_number()) return;
  for (const auto& [name, value] : line.items()) {
    const bool is_curve = name == "loss" || name.starts_with("validation_");
    if (is_curve && value.is_number()) run->curves[name].push_back({*epoch, value});
  }
}

/// Stores the numbers of metrics and of the result, which comes later and counts then.
class FigureReader {
 public:
  explicit FigureReader(RunRecord& run) : run_(run) {}

  /// Stores all numbers of a line: those of an object in it as object.name, lists as their lengths.
  void take_line(const Json& line, const std::string& place) {
    check_joined_names(line, place);
    take_numbers(line, "");
    if (name_bytes_ <= kMostNameBytes) return;
    fail(ExitStatus::bad_input, place, "the log has names of figures of more than ",
         format_bytes(kMostNameBytes));
  }

 private:
  static constexpr std::uint64_t kMostNameBytes = std::uint64_t{1} << 20;

  void take_numbers(const Json& object, const std::string& prefix) {
    for (const auto& [name, value] : object.items()) {
      const std::string key = prefix + name;
      if (value.is_number()) store(key, value);
      if (value.is_object()) take_numbers(value, key + ".");
      if (value.is_array()) store(key, static_cast<double>(value.size()));
    }
  }
  void store(const std::string& key, double value) {
    if (run_.figures.insert_or_assign(key, value).second) name_bytes_ += key.size();
  }

  RunRecord& run_;
  std::uint64_t name_bytes_ = 0;
};

}  // namespace

RunRecord read_run(const std::string& path) {
  LineReader lines(path);
  RunRecord run;
  run.path = path;
  run.name = path == "-" ? "stdin" : std::filesystem::path(path).stem().string();
  FigureReader figures(run);
  bool ended = false;
  for (std::string_view text; lines.next(text);) {
    const std::string place = path + ": line " + std::to_string(lines.line_number()) + ": ";
    const Json line = parse_json<Json>(text, place);
    if (!line.is_object()) fail(ExitStatus::bad_input, place, "expected a JSON object");
    if (text_of(line, "type") == "run") take_header(line, place, &run);
    ended = text_of(line, "type") == "result";
    if (text_of(line, "type") != "run") figures.take_line(line, place);
    if (text_of(line, "type") == "metric") take_curves(line, &run);
  }
  if (run.tool.empty()) {
    fail(ExitStatus::bad_input, path, ": expected a log that a training wrote to --metrics");
  }
  if (!ended) fail(ExitStatus::bad_input, path, ": the run of ", run.tool, " did not end");
  return run;
}

}  // namespace frugal::probe
