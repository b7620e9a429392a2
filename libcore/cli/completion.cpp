#include <algorithm>

#include "libcore/cli/tool_table.h"

namespace frugal {
namespace {

using Words = std::vector<std::string>;

/// A shell function's name from the tool's.
std::string function_name(const ToolTable& table) {
  std::string name = "_" + table.tool->name;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text.append(text.empty() ? "" : " ").append(word);
  return text;
}

std::vector<std::string> option_words(const OptionInfo& option) {
  std::vector<std::string> words;
  for (const std::string& name : option.short_names) words.push_back("-" + name);
  for (const std::string& name : option.long_names) words.push_back("--" + name);
  return words;
}

/// The values that a shell can offer; none: any other.
std::vector<std::string> offered(const OptionInfo& option) {
  if (!option.choices.empty()) return option.choices;
  if (!option.suggestions.empty()) return option.suggestions;
  return option.word.empty() ? Words{} : Words{option.word};
}

/// Inside single quotes of a shell.
std::string single_quoted(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '\'') out += "'\\'";
    out += c;
  }
  return out;
}

/// Inside a description or an action of zsh's _arguments.
std::string zsh_escaped(const std::string& text) {
  std::string out;
  for (const char c : single_quoted(text)) {
    if (c == '[' || c == ']' || c == ':') out += '\\';
    out += c;
  }
  return out;
}

void append_bash_command(std::string& out, const Command& command,
                         const std::vector<OptionInfo>& options) {
  std::string words, arguments;
  out += "    " + command.name + ")\n      case $prev in\n";
  for (const OptionInfo& option : options) {
    const std::vector<std::string> names = option_words(option);
    for (const std::string& name : names) words.append(words.empty() ? "" : " ").append(name);
    if (option.positional) arguments += (arguments.empty() ? "" : " ") + joined(offered(option));
    if (option.flag || names.empty()) continue;
    std::string pattern;
    for (const std::string& name : names) pattern.append(pattern.empty() ? "" : "|").append(name);
    const std::string reply =
        offered(option).empty() ? "return" : "values=\"" + joined(offered(option)) + "\"";
    out += "        " + pattern + ") " + reply + " ;;\n";
  }
  out += "      esac\n      options=\"" + words + "\"";
  if (!arguments.empty()) out += " arguments=\"" + arguments + "\"";
  out += " ;;\n";
}

std::string zsh_action(const OptionInfo& option) {
  if (!option.suggestions.empty()) {
    return "{ compadd -- " + zsh_escaped(joined(option.suggestions)) + "; _files }";
  }
  const std::string values = joined(offered(option));
  if (!values.empty()) return "(" + zsh_escaped(values) + ")";
  return option.metavar == "DIR" ? "_files -/" : option.kind == ValueKind::text ? "_files" : " ";
}

void append_zsh_option(std::string& out, const OptionInfo& option) {
  const std::string value =
      option.flag ? "" : ":" + zsh_escaped(option.metavar) + ":" + zsh_action(option);
  const std::string description = "[" + zsh_escaped(option.description) + "]";
  for (const std::string& name : option_words(option)) {
    out += " \\\n        '" + std::string(option.accumulates ? "*" : "") + name + description +
           value + "'";
  }
  if (option.positional) {
    out += std::string(" \\\n        '") + (option.list ? "*" : "") + ":" +
           zsh_escaped(option.description) + ":" + zsh_action(option) + "'";
  }
}

void append_fish_option(std::string& out, const std::string& prefix, const OptionInfo& option) {
  const bool only_these = option.suggestions.empty();  // else names of files are offered, too
  if (const std::string values = joined(offered(option)); option.positional && !values.empty()) {
    out += prefix + (only_these ? " -x" : "") + " -a '" + single_quoted(values) + "'\n";
  }
  if (option.short_names.empty() && option.long_names.empty()) return;
  out += prefix;
  for (const std::string& name : option.short_names) out += " -s " + name;
  for (const std::string& name : option.long_names) out += " -l " + name;
  if (const std::string values = joined(offered(option)); !values.empty()) {
    out += std::string(only_these ? " -x" : " -r") + " -a '" + single_quoted(values) + "'";
  } else if (!option.flag) {
    out += option.kind == ValueKind::text ? " -r" : " -x";
  }
  out += " -d '" + single_quoted(option.description) + "'\n";
}

}  // namespace

std::string bash_completion(const ToolTable& table) {
  const std::string function = function_name(table);
  std::string out = "# bash completion of " + table.tool->name + ", generated from its options\n" +
                    function +
                    "() {\n  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}\n"
                    "  [[ $cur == = ]] && cur=  # bash takes --option=value apart\n"
                    "  [[ $prev == = ]] && prev=${COMP_WORDS[COMP_CWORD-2]}\n"
                    "  local values= options= arguments=\n  COMPREPLY=()\n  if ((COMP_CWORD == "
                    "1)); then\n    values=\"";
  for (const Command& command : table.tool->commands) out += command.name + " ";
  out +=
      "--help --version --generate\"\n  elif [[ ${COMP_WORDS[1]} == --generate ]]; then\n"
      "    values=\"man bash zsh fish json-schema\"\n  else\n    case ${COMP_WORDS[1]} in\n";
  for (std::size_t i = 0; i < table.options.size(); ++i) {
    append_bash_command(out, table.tool->commands[i], table.options[i]);
  }
  // No reply lets bash offer file names.
  out +=
      "    esac\n    if [[ -n $values ]]; then :\n    elif [[ $cur == -* ]]; then values=$options\n"
      "    elif [[ $prev != -* ]]; then values=$arguments\n    fi\n  fi\n"
      "  if [[ -n $values ]]; then mapfile -t COMPREPLY < <(compgen -W \"$values\" -- \"$cur\"); "
      "fi\n}\n"
      "complete -o default -o bashdefault -F " +
      function + " " + table.tool->name + "\n";
  return out;
}

std::string zsh_completion(const ToolTable& table) {
  const std::string function = function_name(table);
  std::string out = "#compdef " + table.tool->name + "\n# generated from the options\n" + function +
                    "() {\n  local -a commands=(\n";
  for (const Command& command : table.tool->commands) {
    out += "    '" + command.name + ":" + zsh_escaped(command.summary) + "'\n";
  }
  out +=
      "  )\n  if (( CURRENT == 2 )); then\n    _describe command commands\n    return\n  fi\n"
      "  local command=$words[2]\n  shift words\n  (( CURRENT-- ))\n  case $command in\n";
  for (std::size_t i = 0; i < table.options.size(); ++i) {
    out += "    " + table.tool->commands[i].name + ")\n      _arguments -s :";
    for (const OptionInfo& option : table.options[i]) append_zsh_option(out, option);
    out += "\n      ;;\n";
  }
  return out + "  esac\n}\n" + function + " \"$@\"\n";
}

std::string fish_completion(const ToolTable& table) {
  const std::string begin = "complete -c " + table.tool->name + " -n ";
  std::string out = "# fish completion of " + table.tool->name + ", generated from its options\n";
  for (const Command& command : table.tool->commands) {
    out += begin + "__fish_use_subcommand -x -a " + command.name + " -d '" +
           single_quoted(command.summary) + "'\n";
  }
  out += begin + "__fish_use_subcommand -s h -l help -d 'show help'\n" + begin +
         "__fish_use_subcommand -l version -d 'print the version'\n" + begin +
         "__fish_use_subcommand -x -l generate -a 'man bash zsh fish json-schema' -d 'print a "
         "generated text'\n";
  for (std::size_t i = 0; i < table.options.size(); ++i) {
    const std::string prefix =
        begin + "'__fish_seen_subcommand_from " + table.tool->commands[i].name + "'";
    for (const OptionInfo& option : table.options[i]) append_fish_option(out, prefix, option);
  }
  return out;
}

}  // namespace frugal
