#include "tools/hw-probe/commands/run_record.h"

#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>

#include "libcore/base/error.h"
#include "libcore/base/text.h"
#include "libcore/cli/yaml_config.h"
#include "libcore/io/input_stream.h"

namespace frugal::probe {
namespace {

using Json = nlohmann::ordered_json;

std::string text_of(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

void take_header(const Json& line, const std::string& place, RunRecord* run) {
  run->tool = printable(text_of(line, "tool"));
  run->command = printable(text_of(line, "command"));
  for (const Setting& setting : parse_config(text_of(line, "config"), place + "'config'")) {
    run->settings[setting.key] = setting.values;
  }
}

/// All numbers of a metric or of the result, which comes later and counts then; those of an object
/// in it as object.name, lists as their lengths.
void take_numbers(const Json& object, const std::string& prefix, RunRecord* run) {
  for (const auto& [name, value] : object.items()) {
    const std::string key = prefix + name;
    if (value.is_number()) run->figures[key] = value;
    if (value.is_object()) take_numbers(value, key + ".", run);
    if (value.is_array()) run->figures[key] = static_cast<double>(value.size());
    if (value.is_string()) run->words[key] = value;
  }
}

}  // namespace

RunRecord read_run(const std::string& path) {
  std::istringstream in(read_whole(path));
  RunRecord run;
  run.name = std::filesystem::path(path).stem();
  std::size_t number = 0;
  bool ended = false;
  for (std::string text; std::getline(in, text);) {
    const std::string place = path + ": line " + std::to_string(++number) + ": ";
    const Json line = Json::parse(text, nullptr, false);
    if (!line.is_object()) fail(ExitStatus::bad_input, place, "expected a JSON object");
    if (text_of(line, "type") == "run") take_header(line, place, &run);
    ended = text_of(line, "type") == "result";
    if (text_of(line, "type") != "run") take_numbers(line, "", &run);
  }
  if (run.tool.empty()) {
    fail(ExitStatus::bad_input, path, ": expected a log that a training wrote to --metrics");
  }
  if (!ended) fail(ExitStatus::bad_input, path, ": the run of ", run.tool, " did not end");
  return run;
}

}  // namespace frugal::probe
