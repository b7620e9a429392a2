#pragma once
#include "libcore/cli/tool.h"
#include "tools/robe-compress/generate.h"

namespace frugal::robe {

/// The command bound to its options, which must outlive it.
Command generate_command(GenerateOptions& options);

}  // namespace frugal::robe
