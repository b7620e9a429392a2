#pragma once
#include <string>
#include <vector>

#include "libcore/cli/setting.h"
#include "libcore/options/option_value.h"

namespace frugal {

/// Reads a YAML configuration, "-" is standard input. Nested maps join with '-': {lsh: {tables: 7}}
/// is lsh-tables. Fails (usage; cannot_open) with file and line on bad syntax, on a key given
/// twice, on a value that no option can have, and beyond 256 KiB, 4,096 settings or 16 maps in each
/// other.
std::vector<Setting> read_config(const std::string& path);

/// The same from memory; `path` is for messages.
std::vector<Setting> parse_config(const std::string& text, const std::string& path);

/// The elements of "[a, b]"; `name` is for messages.
std::vector<std::string> parse_flow_list(const std::string& text, const std::string& name);

/// --set a.b=VALUE is the key a-b; VALUE is a plain value or a list like [1, 2].
Setting parse_set(const std::string& text);

/// An option with the values in force; nothing given and no default: it is written as a comment.
struct ConfigEntry {
  const OptionInfo* option = nullptr;
  std::vector<std::string> values;
  bool given = false;
};

/// Writes a configuration with comments that read_config reads back to the same values.
std::string write_config(const std::string& title, const std::vector<ConfigEntry>& entries);

}  // namespace frugal
