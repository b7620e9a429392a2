#include "libcore/cli/depfile.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "libcore/base/error.h"
#include "libcore/base/text.h"

namespace frugal {
namespace {

constexpr std::string_view kWildcards = "*?[";

/// Directives of make, if they are the first word of a rule.
constexpr std::array<std::string_view, 18> kDirectives{
    "include", "-include", "sinclude", "define",  "endef", "undefine",
    "export",  "unexport", "override", "private", "vpath", "load",
    "-load",   "ifdef",    "ifndef",   "ifeq",    "ifneq", "else"};

/// make drops "./" before a name as it reads a rule.
std::string_view without_dots(std::string_view name) {
  while (name.starts_with("./")) name.remove_prefix(2);
  return name;
}

/// .PHONY, .IGNORE and the like.
bool is_special_target(std::string_view name) {
  constexpr std::string_view kLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ_";
  return name.size() > 1 && name[0] == '.' && name.find_first_not_of(kLetters, 1) == name.npos;
}

/// Returns why a name cannot stand in a rule, or "".
std::string obstacle(std::string_view path, bool is_output) {
  const std::string_view name = without_dots(path);
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f) return "a control character";
    const bool is_wildcard = is_output && kWildcards.find(c) != kWildcards.npos;
    if (c == '=' || c == ';' || c == '|' || is_wildcard) return std::string("'") + c + "'";
  }
  if (name.starts_with('~')) return "'~' in front";
  if (name.ends_with('&') || name.ends_with('\\'))
    return std::string("'") + name.back() + "' at its end";
  if (name.ends_with(')') && name.find('(', 1) != name.npos) return "'(...)' at its end";
  return is_special_target(name) ? "its meaning as a target" : "";
}

/// The name as make reads it back. In a prerequisite make takes '%' as it is.
std::string escaped(const std::string& name, bool is_target) {
  const bool is_directive =
      std::find(kDirectives.begin(), kDirectives.end(), name) != kDirectives.end();
  std::string out = is_directive ? "./" : "";
  std::size_t backslashes = 0;
  for (const char c : name) {
    const bool is_special = std::string_view(" #:").find(c) != std::string_view::npos ||
                            kWildcards.find(c) != kWildcards.npos || (c == '%' && is_target);
    // make halves backslashes only where they stand before a character that they quote.
    if (is_special) out.append(backslashes + 1, '\\');
    if (c == '$') out += '$';
    out += c;
    backslashes = c == '\\' ? backslashes + 1 : 0;
  }
  return out;
}

std::vector<std::string> distinct(const std::vector<std::string>& names) {
  std::vector<std::string> out;
  for (const std::string& name : names) {
    const bool is_file = !name.empty() && name != "-";
    if (is_file && std::find(out.begin(), out.end(), name) == out.end()) out.push_back(name);
  }
  return out;
}

}  // namespace

void check_depfile_name(const std::string& path, bool is_output) {
  if (const std::string found = obstacle(path, is_output); !found.empty()) {
    fail(ExitStatus::usage, "'", printable(path),
         "': --depfile cannot name it in a make rule because of ", found,
         "; rename it, or leave --depfile out");
  }
}

std::string depfile_text(const std::vector<std::string>& outputs,
                         const std::vector<std::string>& inputs) {
  const std::vector<std::string> targets = distinct(outputs);
  if (targets.empty()) return "";
  std::string text;
  for (const std::string& name : targets) {
    text.append(text.empty() ? "" : " ").append(escaped(name, /*is_target=*/true));
  }
  text += ":";
  std::string phony;
  for (const std::string& name : distinct(inputs)) {
    text.append(" \\\n ").append(escaped(name, /*is_target=*/false));
    if (std::find(targets.begin(), targets.end(), name) != targets.end()) continue;
    phony.append(escaped(name, /*is_target=*/true)).append(":\n");
  }
  return text + "\n" + phony;
}

}  // namespace frugal
