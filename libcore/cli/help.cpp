#include <algorithm>

#include "libcore/base/text.h"
#include "libcore/cli/tool_table.h"

namespace frugal {
namespace {

constexpr std::size_t kWidth = 80;
constexpr std::size_t kNameColumn = 30;

/// Appends `text` to out, broken at blanks before kWidth; later lines start at `indent`.
void append_wrapped(std::string& out, const std::string& text, std::size_t column,
                    std::size_t indent) {
  for (const std::string_view word : split(text, ' ')) {
    if (column + 1 + word.size() > kWidth && column > indent) {
      out.append("\n").append(indent, ' ');
      column = indent;
    } else if (column > indent) {
      out += ' ';
      ++column;
    }
    out += word;
    column += word.size();
  }
  out += '\n';
}

void append_row(std::string& out, const std::string& name, const std::string& text) {
  out.append("  ").append(name);
  const bool own_line = name.size() + 4 > kNameColumn;
  out.append(own_line ? "\n" : "")
      .append(own_line ? kNameColumn : kNameColumn - name.size() - 2, ' ');
  append_wrapped(out, text, kNameColumn, kNameColumn);
}

std::string option_text(const OptionInfo& option) {
  const std::string facts = option_facts(option);
  return facts.empty() ? option.description : option.description + " (" + facts + ")";
}

void append_help_examples(std::string& out, const std::vector<Example>& examples) {
  if (!examples.empty()) out += "\nExamples:\n";
  for (const Example& example : examples) {
    out.append("  ").append(example.command).append("\n      ");
    append_wrapped(out, example.what, 6, 6);
  }
}

}  // namespace

std::string tool_help(const Tool& tool) {
  std::string out;
  append_wrapped(out, tool.name + ": " + tool.summary, 0, 0);
  out += "\nUsage: " + tool.name + " COMMAND [options] [arguments]\n\nCommands:\n";
  for (const Command& command : tool.commands) append_row(out, command.name, command.summary);
  out += "\nOptions:\n";
  append_row(out, "-h, --help", "show this help; after a command, its options");
  append_row(out, "--version [--json]", "print the version, and how it was built");
  append_row(out, "--generate WHAT", "print man, bash, zsh, fish or json-schema");
  std::vector<Example> examples;
  for (const Command& command : tool.commands) {
    if (!command.examples.empty()) examples.push_back(command.examples.front());
  }
  append_help_examples(out, examples);
  return out;
}

std::string command_help(const Tool& tool, const Command& command,
                         const std::vector<OptionInfo>& options) {
  std::string out;
  append_wrapped(out, tool.name + " " + command.name + ": " + command.summary, 0, 0);
  out += "\nUsage: " + tool.name + " " + command.name + " " + usage_arguments(options) + "\n";
  std::string group;
  for (const OptionInfo& option : options) {
    if (option.group.empty()) continue;  // hidden
    if (option.group != group) out.append("\n").append(group = option.group).append(":\n");
    append_row(out, option_usage(option), option_text(option));
  }
  append_help_examples(out, command.examples);
  return out;
}

}  // namespace frugal
