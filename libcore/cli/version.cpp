#include "libcore/cli/version.h"

#include <nlohmann/json.hpp>

#include "libcore/cli/build_info.h"
#include "libcore/device/registry.h"
#include "libcore/system/cpu.h"

namespace frugal {

std::string version_text() {
  const BuildInfo info = build_info();
  return info.git.empty() ? info.version : info.version + "+" + info.git;
}

std::string version_line(const std::string& tool) {
  const BuildInfo info = build_info();
  return tool + " " + version_text() + " (" + info.compiler + ", " + info.build_type + ")";
}

nlohmann::ordered_json version_json(const std::string& tool, bool plugins) {
  const BuildInfo info = build_info();
  nlohmann::ordered_json json{{"schema", "frugal.version/1"}, {"tool", tool},
                              {"version", info.version},      {"git", info.git},
                              {"compiler", info.compiler},    {"flags", info.flags},
                              {"build_type", info.build_type}};
  for (const auto& [name, version] : info.libraries) json["libraries"][name] = version;
  for (const SimdSupport& level : simd_support()) {
    json["isa"][std::string(simd_name(level.level))] = {{"usable", level.usable},
                                                        {"reason", level.reason}};
  }
  json["devices"]["cpu"] = {{"usable", true}, {"reason", cpu_model()}};
  if (!plugins) return json;
  for (const std::string& name : plugin_names()) {
    const PluginStatus status = load_plugin(name);
    auto& entry = json["devices"][name] = {{"usable", status.usable}, {"reason", status.reason}};
    if (status.toolkit.empty()) continue;
    entry["toolkit"] = status.toolkit;
    entry["needs"] = status.needs;
    entry["engines"] = status.engines;
  }
  return json;
}

}  // namespace frugal
