#pragma once
#include <cstdint>
#include <vector>

#include "libcore/graph/csr.h"
#include "tools/gnn-sample/batches/batch_order.h"

namespace frugal::gnn {

/// The seeds of mini-batch after mini-batch (BatchOrder).
class SeedBatches {
 public:
  /// `times` of the nodes, or empty.
  SeedBatches(std::vector<NodeId> nodes, std::vector<double> times,
              const SeedBatchOptions& options);
  SeedBatches(std::vector<NodeId> nodes, const SeedBatchOptions& options)
      : SeedBatches(std::move(nodes), {}, options) {}

  std::uint64_t per_epoch() const { return order_.per_epoch(); }
  std::uint64_t total() const { return order_.total(); }
  std::uint64_t left() const { return order_.left(); }

  struct Seeds {
    std::uint64_t epoch = 0;
    std::uint64_t number = 0;  ///< counted on from epoch to epoch
    std::vector<NodeId> nodes;
    std::vector<double> times;  ///< of the nodes, or empty
  };
  /// False at the end. Reuses the memory of `seeds`.
  bool next(Seeds& seeds);

 private:
  std::vector<NodeId> nodes_;
  std::vector<double> times_;
  BatchOrder order_;
};

}  // namespace frugal::gnn
