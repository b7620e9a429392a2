#pragma once
#include <array>
#include <string>
#include <vector>

#include "tools/hw-probe/model/accuracy.h"
#include "tools/hw-probe/model/machine_spec.h"
#include "tools/hw-probe/model/workload.h"

namespace frugal::probe {

enum class Term { products, long_reads, random_rows, program, launches, copies };
constexpr std::size_t kTerms = 6;
constexpr std::size_t kOverlappingTerms = 4;  ///< the first terms
/// Name of a term: "products", "random rows", ...
const char* term_name(Term term);

/// Seconds of a stage in a step: the longest of the overlapping terms, plus launches and copies.
struct StageCost {
  std::array<double, kTerms> seconds{};
  double total = 0;
  double latency = 0;  ///< of one batch, where the host prepares it on one core
  Term longest = Term::products;
};

/// Share of the units' work that is not padding in a product with m x n results. Units compute
/// squares of tile x tile results, and the last round of squares may leave units idle.
double fill(double m, double n, double units, double tile);

/// Seconds of a sequential read of `bytes` from a working set, in the smallest level that contains
/// it.
double stream_seconds(const Processor& processor, double bytes, double working_set);
/// Seconds of `rows` independent reads of random rows, where each level contains its share of the
/// table.
double row_seconds(const Processor& processor, double rows, double row_bytes, double table_bytes);

/// Seconds in which ranks wait for each other in a step, by ring and pairwise costs (alpha-beta):
/// latency per message, and bytes over 85 % of the network's bandwidth. 0 without a network.
double exchange_seconds(Exchange exchange, double ranks, double bytes, double gbit, double us);

/// Batch size and number of machines.
struct Usage {
  double batch = 0;  ///< samples of a rank in a step
  double nodes = 1;
};

/// Number of ranks of a job, one for each device or, without devices, one for each machine.
double num_ranks(const MachineSpec& machine, const Usage& usage);

StageCost stage_cost(const Workload& workload, const Stage& stage, const MachineSpec& machine,
                     const Usage& usage, const Efficiency& efficiency);

/// Cost of a step of all ranks.
struct StepCost {
  std::vector<StageCost> stages;  ///< as in the workload
  double exchange = 0;
  double seconds = 0;
  /// Time of an epoch beside its steps: the first batch passes all lanes one after the other, and
  /// the host works on it with one core.
  double fill = 0;
  std::string bottleneck;  ///< "sample: random rows", the longest term of the longest lane
};

StepCost step_cost(const Workload& workload, const MachineSpec& machine, const Usage& usage,
                   const Efficiency& efficiency);

/// Bytes that a job needs on each machine.
struct MemoryNeed {
  double host = 0;
  double device = 0;  ///< of each device
};
MemoryNeed memory_need(const Workload& workload, const MachineSpec& machine, const Usage& usage);

/// Names the part that does not fit into memory; "" if everything fits.
std::string what_does_not_fit(const MemoryNeed& need, const MachineSpec& machine);

}  // namespace frugal::probe
