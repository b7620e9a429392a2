#pragma once
#include <string>
#include <vector>

#include "libcore/options/option_value.h"

namespace frugal {

/// Where a value comes from, weakest first.
enum class Layer { defaults, config, environment, set, flags };

/// One value for one option, as one layer states it.
struct Setting {
  Layer layer = Layer::flags;
  std::string key;
  std::vector<std::string> values;
  bool split = true;  ///< a single value may hold several, separated by the option's delimiter
  std::string place;  ///< what error lines begin with: "run.yml: line 3: " or ""
  std::string name;   ///< what error lines call it: "'lr'", "--lr", "FRUGAL_SEED", "--set lr"
};

/// What follows "unknown option": the nearest known name, or that only other commands have this
/// one.
std::string unknown_option_hint(const std::string& shown, const std::vector<std::string>& known);

/// Settings from the environment variables that the options name. An empty variable sets nothing.
std::vector<Setting> environment_settings(const std::vector<OptionInfo>& options);

}  // namespace frugal
