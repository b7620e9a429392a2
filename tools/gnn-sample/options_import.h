#pragma once
#include "libcore/cli/tool.h"
#include "tools/gnn-sample/import.h"

namespace frugal::gnn {

/// The command bound to its options, which must outlive it.
Command import_command(ImportOptions& options);

}  // namespace frugal::gnn
