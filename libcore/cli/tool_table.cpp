#include "libcore/cli/tool_table.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "libcore/base/error.h"
#include "libcore/base/text.h"
#include "libcore/cli/command_options.h"
#include "libcore/cli/trainer_run.h"

namespace frugal {

namespace {

/// Puts items of one group beside each other: groups in the order of `first`, then of their first
/// items, items in their own order.
template <class Item>
void gather(std::vector<Item>& items, std::string Item::*group, std::vector<std::string> first) {
  for (const Item& item : items) first.push_back(item.*group);
  const auto rank = [&](const Item& item) {
    return std::find(first.begin(), first.end(), item.*group);
  };
  std::stable_sort(items.begin(), items.end(),
                   [&](const Item& a, const Item& b) { return rank(a) < rank(b); });
}

}  // namespace

ToolTable inspect_tool(const Tool& tool) {
  ToolTable table{&tool, {}};
  BoundOptions bound;
  for (const Command& command : tool.commands) {
    table.options.push_back(CommandOptions(command, bound).table());
  }
  return table;
}

std::vector<ResultKey> result_keys(const Command& command) {
  std::vector<ResultKey> keys;
  const ResultFields fields(keys);
  if (command.describe_results) command.describe_results(fields);
  if (command.trainer != nullptr) describe_trainer_results(fields, 0, *single_process());
  gather(keys, &ResultKey::when, {""});
  return keys;
}

std::vector<OptionInfo> shared_options(const ToolTable& table) {
  std::vector<OptionInfo> shared;
  for (const auto& options : table.options) {
    for (const OptionInfo& option : options) {
      const auto same = [&](const OptionInfo& other) { return other.key == option.key; };
      if (option.shared && std::none_of(shared.begin(), shared.end(), same))
        shared.push_back(option);
    }
  }
  // A later command may have options of a group that an earlier one lacks.
  gather(shared, &OptionInfo::group, {});
  return shared;
}

std::string positional_usage(const OptionInfo& option) {
  const std::string name = display_name(option) + (option.list ? "..." : "");
  return option.required ? name : std::string("[").append(name).append("]");
}

std::string usage_arguments(const std::vector<OptionInfo>& options) {
  std::string arguments, required;
  for (const OptionInfo& option : options) {
    if (option.positional) arguments.append(positional_usage(option)).append(" ");
    if (option.positional || !option.required) continue;
    const bool has_letter = !option.short_names.empty();
    required.append(has_letter ? "-" + option.short_names.front() : display_name(option));
    required.append(" ").append(option.metavar).append(" ");
  }
  return arguments + required + "[options]";
}

std::string option_usage(const OptionInfo& option) {
  if (option.positional) return display_name(option) + (option.list ? "..." : "");
  std::string text;
  for (const std::string& name : option.short_names)
    text.append(text.empty() ? "-" : ", -").append(name);
  for (const std::string& name : option.long_names)
    text.append(text.empty() ? "--" : ", --").append(name);
  if (option.flag) return text;
  text.append(" ").append(option.metavar);
  if (option.list && !option.accumulates) text += ",...";
  return text;
}

std::string option_facts(const OptionInfo& option) {
  const bool in_usage = !option.choices.empty() && option.metavar.find('|') != std::string::npos;
  std::string text = in_usage ? "" : option.constraint;
  if (option.has_default) {
    text += text.empty() ? "default " : "; default ";
    for (std::size_t i = 0; i < option.defaults.size(); ++i) {
      text.append(i == 0 ? "" : ",").append(option.defaults[i]);
    }
  }
  return text;
}

std::string generate(const ToolTable& table, const std::string& what) {
  struct Generator {
    const char* name;
    std::string (*make)(const ToolTable&);
  };
  static constexpr std::array<Generator, 5> kGenerators{{{"man", man_page},
                                                         {"bash", bash_completion},
                                                         {"zsh", zsh_completion},
                                                         {"fish", fish_completion},
                                                         {"json-schema", json_schema}}};
  for (const Generator& generator : kGenerators) {
    if (what == generator.name) return generator.make(table);
  }
  fail(ExitStatus::usage, "--generate is '", printable(what),
       "', expected one of man, bash, zsh, fish, json-schema");
}

}  // namespace frugal
