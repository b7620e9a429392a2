#pragma once
#include "libcore/cli/tool.h"
#include "tools/gnn-sample/generate.h"

namespace frugal::gnn {

/// The command bound to its options, which must outlive it.
Command generate_command(GenerateOptions& options);

}  // namespace frugal::gnn
