#pragma once
#include <string>
#include <vector>

#include "libcore/options/option_value.h"

namespace frugal {

/// Origin of a value, weakest first.
enum class Layer { defaults, config, environment, set, flags };

/// Value of one option in one layer.
struct Setting {
  Layer layer = Layer::flags;
  std::string key;
  std::vector<std::string> values;
  bool split = true;  ///< a single value may be a list, separated by the option's delimiter
  std::string place;  ///< beginning of error lines: "run.yml: line 3: " or ""
  std::string name;   ///< name in error lines: "'lr'", "--lr", "FRUGAL_SEED", "--set lr"
};

/// End of the message "unknown option ...": the nearest known name, or a note that only other
/// commands have this option.
std::string unknown_option_hint(const std::string& shown, const std::vector<std::string>& known);

/// Settings from the environment variables of the options. An empty variable is ignored.
std::vector<Setting> environment_settings(const std::vector<OptionInfo>& options);

}  // namespace frugal
