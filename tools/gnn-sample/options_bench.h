#pragma once
#include "libcore/cli/tool.h"
#include "tools/gnn-sample/bench.h"

namespace frugal::gnn {

Command bench_command(BenchOptions& options);

}  // namespace frugal::gnn
