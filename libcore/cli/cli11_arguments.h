#pragma once
#include <string>
#include <vector>

#include "libcore/cli/setting.h"
#include "libcore/options/option_value.h"

namespace frugal {

/// Parses the words after the command's name: -o FILE, --output=FILE, -vv, positional arguments,
/// "--". Fails (usage) on an unknown option, with the nearest name, and on a missing or superfluous
/// value.
std::vector<Setting> parse_arguments(const std::vector<std::string>& words,
                                     const std::vector<OptionInfo>& options);

}  // namespace frugal
