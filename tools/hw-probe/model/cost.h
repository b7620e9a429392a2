#pragma once
#include <array>
#include <map>
#include <string>
#include <vector>

#include "tools/hw-probe/model/machine_spec.h"
#include "tools/hw-probe/model/workload.h"

namespace frugal::probe {

/// Share of the modelled speed that a kind of kernel reaches, from `hw-probe calibrate`.
using Efficiency = std::map<std::string, double>;

enum class Term { products, long_reads, random_rows, program, launches, copies };
constexpr std::size_t kTerms = 6;
constexpr std::size_t kOverlappingTerms = 4;  ///< the first ones
/// "products", "random rows" ...
const char* term_name(Term term);

/// Seconds of one stage in a step. The overlapping terms count by their longest; launches and
/// copies come on top.
struct StageCost {
  std::array<double, kTerms> seconds{};
  double total = 0;
  Term longest = Term::products;
};

/// Share of the units' work that is no padding in a product of m x n results: units make squares
/// of tile x tile, and the last round of squares may leave units idle.
double fill(double m, double n, double units, double tile);

/// Seconds of one long read of `bytes` out of a working set: from the smallest level that holds it.
double stream_seconds(const Processor& processor, double bytes, double working_set);
/// Seconds of `rows` independent reads of random rows, each level holding its share of the table.
double row_seconds(const Processor& processor, double rows, double row_bytes, double table_bytes);

/// What ranks wait for each other in a step, ring and pairwise costs (alpha-beta): latency a
/// message, and bytes over 85 % of the wire. 0 where there is no wire.
double exchange_seconds(Exchange exchange, double nodes, double bytes, double gbit, double us);

/// How a machine is used.
struct Usage {
  double batch = 0;  ///< samples of a step and node
  double nodes = 1;
};

StageCost stage_cost(const Workload& workload, const Stage& stage, const MachineSpec& machine,
                     const Usage& usage, const Efficiency& efficiency);

/// One step of all nodes.
struct StepCost {
  std::vector<StageCost> stages;  ///< as in the workload
  double exchange = 0;
  double seconds = 0;
  std::string bottleneck;  ///< "sample: random rows", the longest term of the longest lane
};

StepCost step_cost(const Workload& workload, const MachineSpec& machine, const Usage& usage,
                   const Efficiency& efficiency);

/// "" where all fits into memory, else what does not.
std::string what_does_not_fit(const Workload& workload, const MachineSpec& machine, double nodes);

}  // namespace frugal::probe
