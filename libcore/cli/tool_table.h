#pragma once
#include <string>
#include <vector>

#include "libcore/cli/tool.h"
#include "libcore/options/option_value.h"

namespace frugal {

/// A tool and the option table of each of its commands: what help, manual page, completions and
/// JSON schema are generated from.
struct ToolTable {
  const Tool* tool = nullptr;
  std::vector<std::vector<OptionInfo>> options;  ///< parallel to tool->commands
};

ToolTable inspect_tool(const Tool& tool);

/// Returns the keys of what a command prints with --json: first those that are always present, then
/// those of each case.
std::vector<ResultKey> result_keys(const Command& command);

/// The options that commands share, each once.
std::vector<OptionInfo> shared_options(const ToolTable& table);

/// "INPUTS..." for a list, "[INPUTS...]" where it may be missing.
std::string positional_usage(const OptionInfo& option);

/// "MODEL [DATA...] -o FILE [options]"
std::string usage_arguments(const std::vector<OptionInfo>& options);

/// "-o, --output FILE", the way an option is written.
std::string option_usage(const OptionInfo& option);

/// "a number above 0, default 0.05", or "".
std::string option_facts(const OptionInfo& option);

/// The answer to --generate `what`: man, bash, zsh, fish or json-schema. Fails (usage) on other
/// names.
std::string generate(const ToolTable& table, const std::string& what);

std::string man_page(const ToolTable& table);
/// The page of one of the tool's commands.
std::string command_page(const ToolTable& table, const Command& command);
std::string bash_completion(const ToolTable& table);
std::string zsh_completion(const ToolTable& table);
std::string fish_completion(const ToolTable& table);
std::string json_schema(const ToolTable& table);

/// What -h, on one screen, and --help print, for the tool and for one command.
std::string tool_help(const Tool& tool, bool full);
std::string short_help(const Tool& tool, const Command& command,
                       const std::vector<OptionInfo>& options);
std::string command_help(const Tool& tool, const Command& command,
                         const std::vector<OptionInfo>& options);

}  // namespace frugal
