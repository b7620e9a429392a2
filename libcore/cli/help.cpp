#include <algorithm>
#include <cstring>

#include "libcore/base/error.h"
#include "libcore/base/text.h"
#include "libcore/cli/tool_table.h"

namespace frugal {
namespace {

constexpr std::size_t kWidth = 80;
constexpr std::size_t kNameColumn = 30;
constexpr std::size_t kCommandColumn = 22;

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

/// A name and what it stands for, which begins at `column`.
void append_row(std::string& out, const std::string& name, const std::string& text,
                std::size_t column = kNameColumn) {
  out.append("  ").append(name);
  const bool own_line = name.size() + 4 > column;
  out.append(own_line ? "\n" : "").append(own_line ? column : column - name.size() - 2, ' ');
  append_wrapped(out, text, column, column);
}

std::string option_text(const OptionInfo& option) {
  const std::string facts = option_facts(option);
  return facts.empty() ? option.description : option.description + " (" + facts + ")";
}

/// Required options and those of Command::often, in the order of these.
std::vector<const OptionInfo*> often_set(const Command& command,
                                         const std::vector<OptionInfo>& options) {
  std::vector<const OptionInfo*> shown;
  for (const OptionInfo& option : options) {
    if (option.required || option.positional) shown.push_back(&option);
  }
  for (const std::string& name : command.often) {
    const auto found = std::find_if(options.begin(), options.end(), [&](const OptionInfo& option) {
      return display_name(option) == name;
    });
    if (found == options.end()) fail(ExitStatus::internal, command.name, " has no ", name);
    shown.push_back(&*found);
  }
  return shown;
}

/// Usage of an option, the first clause of its description, and its default if that takes no
/// further line.
void append_short_row(std::string& out, const OptionInfo& option, std::size_t column) {
  std::string text = option.description.substr(0, option.description.find_first_of(";:("));
  text = text.substr(0, text.find(". "));
  if (text.ends_with(' ')) text.pop_back();
  if (option.metavar == "NAME" && !option.choices.empty()) {
    text.append(": ").append(joined(option.choices));
  }
  const std::string facts = option.has_default ? " (" + joined(option.defaults) + ")" : "";
  const std::string usage = option_usage(option);
  const std::size_t begin = std::max(column, usage.size() + 4);
  const bool fits = begin + text.size() <= kWidth;
  if (!option.flag && (fits ? begin : column) + text.size() + facts.size() <= kWidth) text += facts;
  append_row(out, usage, text, fits ? begin : column);
}

void append_help_examples(std::string& out, const std::vector<Example>& examples) {
  if (!examples.empty()) out += "\nExamples:\n";
  for (const Example& example : examples) {
    out.append("  ").append(example.command).append("\n      ");
    append_wrapped(out, example.what, 6, 6);
  }
}

}  // namespace

std::string tool_help(const Tool& tool, bool full) {
  std::string out;
  append_wrapped(out, tool.name + ": " + tool.summary, 0, 0);
  out += "\nUsage: " + tool.name + " COMMAND [options] [arguments]\n\nCommands:\n";
  const auto row = [&out](const std::string& name, const std::string& text) {
    append_row(out, name, text, kCommandColumn);
  };
  for (const Command& command : tool.commands) row(command.name, command.summary);
  out += "\nOptions:\n";
  row("-h, --help", "show help, or that of a command; --help adds examples");
  row("--version [--json]", "print the version and how the tool was built");
  row("--generate WHAT", "print a file for man, bash, zsh or fish, or json-schema");
  if (!full) return out + "\nexamples: " + tool.name + " --help; manual: man " + tool.name + "\n";
  std::vector<Example> examples;
  for (const Command& command : tool.commands) {
    if (!command.examples.empty()) examples.push_back(command.examples.front());
  }
  append_help_examples(out, examples);
  return out;
}

std::string short_help(const Tool& tool, const Command& command,
                       const std::vector<OptionInfo>& options) {
  const std::string name = tool.name + " " + command.name;
  const std::vector<const OptionInfo*> shown = often_set(command, options);
  std::size_t column = 0;
  for (const OptionInfo* option : shown) {
    const std::size_t width = option_usage(*option).size() + 4;
    if (width <= kNameColumn) column = std::max(column, width);
  }
  std::string out;
  append_wrapped(out, name + ": " + command.summary, 0, 0);
  out += "\nUsage: " + name + " " + usage_arguments(options) + "\n\n";
  for (const OptionInfo* option : shown) append_short_row(out, *option, column);
  const auto fits = [](const Example& e) { return e.command.size() + 2 <= kWidth; };
  const auto example = std::find_if(command.examples.begin(), command.examples.end(), fits);
  if (example != command.examples.end()) {
    out += "\n";
    append_wrapped(out, "Example: " + example->what, 0, 0);
    out += "  " + example->command + "\n";
  }
  const std::string all = "all options: " + name + " --help; ",
                    page = "man " + tool.name + "-" + command.name;
  const char* const of_page = "manual: ";
  const bool has_room = all.size() + std::strlen(of_page) + page.size() <= kWidth;
  return out + "\n" + all + (has_room ? of_page : "") + page + "\n";
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
