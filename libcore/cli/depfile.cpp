#include "libcore/cli/depfile.h"

#include <algorithm>

namespace frugal {
namespace {

std::string escaped(const std::string& name) {
  std::string out;
  std::size_t backslashes = 0;
  for (const char c : name) {
    // make halves backslashes only where they stand before a blank or a '#'.
    if (c == ' ' || c == '\t' || c == '#') out.append(backslashes + 1, '\\');
    if (c == '$') out += '$';
    if (c == ':' || c == '%') out += '\\';
    out += c;
    backslashes = c == '\\' ? backslashes + 1 : 0;
  }
  return out;
}

std::vector<std::string> distinct(const std::vector<std::string>& names) {
  std::vector<std::string> out;
  for (const std::string& name : names) {
    if (name.empty() || name == "-") continue;
    const std::string text = escaped(name);
    if (std::find(out.begin(), out.end(), text) == out.end()) out.push_back(text);
  }
  return out;
}

}  // namespace

std::string depfile_text(const std::vector<std::string>& outputs,
                         const std::vector<std::string>& inputs) {
  const std::vector<std::string> targets = distinct(outputs);
  if (targets.empty()) return "";
  std::string text;
  for (const std::string& name : targets) text += (text.empty() ? "" : " ") + name;
  text += ":";
  std::string phony;
  for (const std::string& name : distinct(inputs)) {
    text += " \\\n " + name;
    if (std::find(targets.begin(), targets.end(), name) == targets.end()) phony += name + ":\n";
  }
  return text + "\n" + phony;
}

}  // namespace frugal
