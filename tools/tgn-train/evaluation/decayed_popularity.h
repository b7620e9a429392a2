#pragma once
#include <cmath>
#include <limits>
#include <vector>

#include "libcore/graph/csr.h"
#include "tools/tgn-train/data/event_times.h"

namespace frugal::tgn {

/// How often each node was a destination, an occurrence h events ago counting 2^(-h / half_life).
/// After PopTrack (Daniluk, Dabrowski, "Temporal graph models fail to capture global temporal
/// dynamics", 2023), which multiplies all counts by a constant after each batch. Here the logarithm
/// of the count as of event 0 is kept, which no event changes but the node's own.
class DecayedPopularity {
 public:
  DecayedPopularity(double half_life, std::size_t num_nodes)
      : rate_(1 / half_life), log_counts_(num_nodes, kNever) {}

  /// The binary logarithm of the decayed count before `event`; -infinity where there is none.
  double log2_count(NodeId node, EventId event) const {
    return log_counts_[node] - rate_ * static_cast<double>(event);
  }
  /// `node` is the destination of `event`; events come in their order.
  void add(NodeId node, EventId event) {
    const double now = rate_ * static_cast<double>(event);
    log_counts_[node] = now + std::log2(1 + std::exp2(log_counts_[node] - now));
  }

 private:
  static constexpr double kNever = -std::numeric_limits<double>::infinity();

  double rate_;
  std::vector<double> log_counts_;  ///< [nodes]
};

}  // namespace frugal::tgn
