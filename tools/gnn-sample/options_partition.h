#pragma once
#include "libcore/cli/tool.h"
#include "tools/gnn-sample/partition.h"

namespace frugal::gnn {

/// The command bound to its options, which must outlive it.
Command partition_command(PartitionCommandOptions& options);

}  // namespace frugal::gnn
