#pragma once
#include <functional>
#include <span>
#include <vector>

#include "tools/tgn-train/affinity/averages.h"

namespace frugal::tgn {

/// NDCG@10 of forecasts of label vectors.
struct AffinityMetrics {
  std::uint64_t known = 0, all = 0;  ///< vectors: of nodes with an earlier vector, and all
  double ndcg = 0;                   ///< mean over the vectors of known nodes
  double ndcg_all = 0;               ///< mean over all vectors
  /// Mean over periods of the mean over all their vectors, as the programs of the Temporal Graph
  /// Benchmark report.
  double ndcg_by_time = 0;

  /// The measure that forecasts are chosen by: of known nodes, or of all where none is known.
  double choice() const { return known > 0 ? ndcg : ndcg_all; }
};

/// Collects the NDCG@10 of a part's vectors, in the order of the stream.
class AffinityTally {
 public:
  static constexpr std::size_t kRanks = 10;

  /// Begins the vectors of a period; empty periods do not count.
  void begin_period();
  void add(bool known, double ndcg);
  AffinityMetrics metrics();

 private:
  AffinityMetrics sums_;
  std::uint64_t periods_ = 0, in_period_ = 0;
  double period_sum_ = 0;
};

/// Parts of the periods of a stream.
struct AffinitySplit {
  std::uint32_t valid = 0, test = 0, end = 0;  ///< periods at which validation, test and end begin
};

/// Called with a vector to forecast and its weights by class, [classes].
using VectorVisitor = std::function<void(std::size_t vector, const AverageHistory& history,
                                         std::span<const float> weights)>;

/// Visits the vectors of the periods from `first` on. The history then contains the periods before.
/// begun: called before the vectors of each period.
void visit_vectors(const LabelVectors& vectors, std::uint32_t first,
                   const std::function<void(std::uint32_t period, const AverageHistory&)>& begun,
                   const VectorVisitor& visit);

}  // namespace frugal::tgn
