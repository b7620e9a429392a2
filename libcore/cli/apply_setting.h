#pragma once
#include <string>
#include <vector>

#include "libcore/cli/setting.h"
#include "libcore/options/option_fields.h"

namespace frugal {

/// Stores what a setting says and returns its values, a list's split. Fails (usage) with the
/// setting's place and what was expected.
std::vector<std::string> apply_setting(const OptionField& field, const Setting& setting);

/// Stores all settings of a described document, which has no other keys. Fails (usage) like the
/// above, on an unknown key with the nearest known one, and where a required one is missing from
/// `path`.
void apply_settings(const std::vector<Setting>& settings, const OptionFields& fields,
                    const std::string& path);

}  // namespace frugal
