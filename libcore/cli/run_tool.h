#pragma once
#include "libcore/cli/tool.h"

namespace frugal {

/// Parses defaults < --config files < environment < --set < flags; answers -h, --help, --version,
/// --print-config and --generate; runs the command; is the only catch. Returns the exit status.
int run_tool(const Tool& tool, int argc, char** argv);

}  // namespace frugal
