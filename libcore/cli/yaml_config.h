#pragma once
#include <string>
#include <vector>

#include "libcore/cli/setting.h"
#include "libcore/options/option_value.h"

namespace frugal {

/// Reads a YAML configuration; "-" is standard input. Nested maps are joined with '-': {lsh:
/// {tables: 7}} is lsh-tables. Fails (usage; cannot_open) with file and line on bad syntax, on a
/// repeated key, on a value that no option can have, and beyond 256 KiB, 4,096 settings or 16
/// nested maps.
std::vector<Setting> read_config(const std::string& path);

/// Parses a configuration in memory; `path` is for messages.
std::vector<Setting> parse_config(const std::string& text, const std::string& path);

/// Elements of "[a, b]"; `name` is for messages.
std::vector<std::string> parse_flow_list(const std::string& text, const std::string& name);

/// Parses --set: a.b=VALUE is the key a-b; VALUE is a plain value or a list like [1, 2].
Setting parse_set(const std::string& text);

/// An option with its values. If it was not given and has no default, it is written as a comment.
struct ConfigEntry {
  const OptionInfo* option = nullptr;
  std::vector<std::string> values;
  bool given = false;
};

/// Writes a configuration with comments; read_config() reads the same values back.
std::string write_config(const std::string& title, const std::vector<ConfigEntry>& entries);

}  // namespace frugal
