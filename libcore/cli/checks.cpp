#include "libcore/cli/checks.h"

#include <CLI/CLI.hpp>

#include "libcore/base/text.h"

namespace frugal {

CLI::Option* check_duration(CLI::Option* option) {
  const auto check = [](const std::string& text) -> std::string {
    return text.empty() || parse_seconds(text) ? "" : "not a duration";
  };
  return option->type_name("TIME")->check(CLI::Validator(check, "a duration like 90s, 5m or 2h"));
}

CLI::Option* check_bytes(CLI::Option* option) {
  const auto check = [](const std::string& text) -> std::string {
    return text.empty() || parse_bytes(text) ? "" : "not a size";
  };
  return option->type_name("SIZE")->check(CLI::Validator(check, "a size like 4096, 64K or 8MiB"));
}

}  // namespace frugal
