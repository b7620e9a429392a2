#include "libcore/cli/setting.h"

#include <algorithm>
#include <cstdlib>

#include "libcore/cli/name_guess.h"

namespace frugal {
namespace {

bool contains(const std::vector<std::string>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

std::string unknown_option_hint(const std::string& shown, const std::vector<std::string>& known) {
  // Options that only some commands of a tool have: the name is right, the command is not.
  static const std::vector<std::string> elsewhere{"checkpoint", "checkpoint-every", "device",
                                                  "precision",  "resume",           "seed",
                                                  "shard",      "time-budget"};
  const bool right_name = contains(elsewhere, shown.substr(shown.starts_with("--") ? 2 : 0));
  const bool has_list = contains(known, shown + "s");  // --precisions of a sweep
  return right_name && !has_list ? "; this command has no use for it" : name_guess(shown, known);
}

std::vector<Setting> environment_settings(const std::vector<OptionInfo>& options) {
  std::vector<Setting> settings;
  for (const OptionInfo& option : options) {
    if (option.environment.empty() || !option.configurable) continue;
    const char* value = std::getenv(option.environment.c_str());
    if (value == nullptr || *value == '\0') continue;
    settings.push_back(
        {Layer::environment, option.key, {value}, true, "environment: ", option.environment});
  }
  return settings;
}

}  // namespace frugal
