#pragma once
#include "libcore/cli/tool.h"
#include "tools/gnn-sample/import.h"

namespace frugal {

/// The command bound to its options, which must outlive it.
Command import_command(ImportOptions& options);

}  // namespace frugal
