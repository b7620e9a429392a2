#pragma once
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>

#include "libcore/base/array.h"
#include "libcore/graph/csr.h"

namespace frugal::gnn {

/// Copies of a graph's sources in which every row is in an order of its own, another one each
/// epoch: consecutive entries of a row are a random set of its edges, read with one or two lines of
/// memory. There are never more than two. For many threads: those that ask for an epoch make it
/// together.
class EpochShuffle {
 public:
  /// Borrows what the graph points to.
  EpochShuffle(const CsrView& graph, std::uint64_t seed);

  class Epoch {
   public:
    std::uint64_t number() const { return number_; }
    const Array<NodeId>& neighbors() const { return neighbors_; }

   private:
    friend class EpochShuffle;
    Epoch(std::uint64_t number, std::size_t num_edges);
    std::uint64_t number_;
    Array<NodeId> neighbors_;
    std::atomic<std::size_t> next_{0}, done_{0};  ///< blocks of rows
  };
  /// The same whatever was asked for before. Waits until nobody holds the epoch in whose place it
  /// is kept: a caller that holds one must not ask for another.
  std::shared_ptr<const Epoch> of(std::uint64_t epoch);

 private:
  void shuffle_block(std::size_t block, Epoch& epoch) const;

  CsrView graph_;
  std::uint64_t seed_;
  std::size_t num_blocks_;
  std::mutex mutex_;
  std::shared_ptr<Epoch> kept_[2];
};

}  // namespace frugal::gnn
