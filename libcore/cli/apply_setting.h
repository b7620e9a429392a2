#pragma once
#include <string>
#include <vector>

#include "libcore/cli/setting.h"
#include "libcore/options/option_fields.h"

namespace frugal {

/// Stores a setting's value and returns its values; a list is split. Fails (usage) with the
/// setting's place and what was expected.
std::vector<std::string> apply_setting(const OptionField& field, const Setting& setting);

}  // namespace frugal
