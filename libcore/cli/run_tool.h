#pragma once
#include "libcore/cli/tool.h"

namespace frugal {

/// Runs a tool. It parses defaults < --config files < environment < --set < flags, answers -h,
/// --help, --version, --print-config and --generate, or runs the command. It is the only place that
/// catches exceptions. Returns the exit status.
int run_tool(const Tool& tool, int argc, char** argv);

}  // namespace frugal
