#pragma once
#include "tools/hw-probe/model/run_facts.h"

namespace frugal::probe {

/// Workload of a training of gnn-sample: a step samples neighbours, slices their features and runs
/// its layers.
Workload gnn_workload(const RunRecord& run, const RunFacts& facts);

}  // namespace frugal::probe
