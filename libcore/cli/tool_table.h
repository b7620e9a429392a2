#pragma once
#include <string>
#include <vector>

#include "libcore/cli/tool.h"
#include "libcore/options/option_value.h"

namespace frugal {

/// A tool and the option table of each command, from which help, manual pages, completions and JSON
/// schema are generated.
struct ToolTable {
  const Tool* tool = nullptr;
  std::vector<std::vector<OptionInfo>> options;  ///< parallel to tool->commands
};

ToolTable inspect_tool(const Tool& tool);

/// Keys that a command prints with --json: first those that are always present, then those of each
/// case.
std::vector<ResultKey> result_keys(const Command& command);

/// Options that commands share, each once.
std::vector<OptionInfo> shared_options(const ToolTable& table);

/// "INPUTS..." for a list, "[INPUTS...]" for an optional one.
std::string positional_usage(const OptionInfo& option);

/// Arguments of a command's synopsis: "MODEL [DATA...] -o FILE [options]".
std::string usage_arguments(const std::vector<OptionInfo>& options);

/// Spelling of an option: "-o, --output FILE".
std::string option_usage(const OptionInfo& option);

/// Constraint and default of an option: "a number above 0, default 0.05", or "".
std::string option_facts(const OptionInfo& option);

/// Output of --generate `what`: man, bash, zsh, fish or json-schema. Fails (usage) on other names.
std::string generate(const ToolTable& table, const std::string& what);

std::string man_page(const ToolTable& table);
/// Manual page of one of the tool's commands.
std::string command_page(const ToolTable& table, const Command& command);
std::string bash_completion(const ToolTable& table);
std::string zsh_completion(const ToolTable& table);
std::string fish_completion(const ToolTable& table);
std::string json_schema(const ToolTable& table);

/// Texts of -h (one screen) and --help, for the tool and for one command.
std::string tool_help(const Tool& tool, bool full);
std::string short_help(const Tool& tool, const Command& command,
                       const std::vector<OptionInfo>& options);
std::string command_help(const Tool& tool, const Command& command,
                         const std::vector<OptionInfo>& options);

}  // namespace frugal
