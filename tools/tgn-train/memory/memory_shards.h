#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "libcore/graph/csr.h"
#include "libcore/parallel/communicator.h"

namespace frugal::tgn {

/// Assignment of a memory's nodes to shards and ranks. Nodes are divided into pages of kPage; page
/// p belongs to shard p mod count(). Every rank has equally many consecutive shards and numbers its
/// own nodes without gaps.
class MemoryShards {
 public:
  static constexpr NodeId kPage = 32;

  /// ranks: must outlive the object. Fails (usage) if `count` is not a multiple of their number.
  MemoryShards(Communicator& ranks, std::uint32_t count, std::size_t nodes);

  Communicator& ranks() const { return ranks_; }
  std::size_t nodes() const { return nodes_; }
  std::uint32_t count() const { return count_; }
  int rank_of_shard(std::size_t shard) const { return static_cast<int>(shard / per_rank_); }
  int owner(NodeId node) const { return rank_of_shard(node / kPage % count_); }
  bool has(NodeId node) const { return owner(node) == ranks_.rank(); }
  /// The node's number among its owner's nodes.
  NodeId place(NodeId node) const {
    const NodeId page = node / kPage;
    return (page / count_ * per_rank_ + page % per_rank_) * kPage + node % kPage;
  }
  /// Number of nodes of this rank.
  std::size_t size() const;
  /// Calls visit(begin, end) for the nodes of each page that the rank owns, ascending.
  template <class Visit>
  void each_page(int rank, const Visit& visit) const {
    for (std::size_t begin = 0; begin < nodes_; begin += kPage) {
      const auto first = static_cast<NodeId>(begin);
      if (owner(first) != rank) continue;
      visit(first, static_cast<NodeId>(std::min<std::size_t>(begin + kPage, nodes_)));
    }
  }

 private:
  Communicator& ranks_;
  std::uint32_t count_, per_rank_;
  std::size_t nodes_;
};

}  // namespace frugal::tgn
