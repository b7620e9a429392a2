#pragma once
#include "libcore/cli/tool.h"
#include "tools/gnn-sample/generate.h"
#include "tools/gnn-sample/partition.h"

namespace frugal::gnn {

/// Commands that make graphs and cut them, bound to their options, which must outlive them.
Command generate_command(GenerateOptions& options);
Command partition_command(PartitionCommandOptions& options);

}  // namespace frugal::gnn
