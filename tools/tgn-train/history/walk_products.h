#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "tools/tgn-train/history/walk_projections.h"

namespace frugal::tgn {

/// Inner products of the walks of an event's nodes and of their neighbours, each as ln(1 + max(0,
/// x)). The first query is the source, the others are candidate destinations.
class WalkProducts {
 public:
  /// Where append() writes; each product of a node with itself is written once, (hops + 1) (hops +
  /// 2) / 2 numbers, those of two nodes are (hops + 1)^2 numbers.
  struct Lists {
    std::vector<float>& nodes;      ///< of each query with itself
    std::vector<float>& neighbors;  ///< of each neighbour with itself
    std::vector<float>& ends;       ///< of each neighbour with its query
    /// For each candidate: of the source's neighbours with it, then of its neighbours with the
    /// source.
    std::vector<float>& others;
    std::vector<float>& pairs;  ///< of the source with each candidate
  };

  /// Forgets the nodes of the event before. walks: as of the event, until append().
  void begin(const WalkProjections& walks, EventId event);
  void add_query(NodeId node) {
    queries_.push_back({add(node), neighbors_.size(), neighbors_.size()});
  }
  /// Adds a neighbour of the last query.
  void add_neighbor(NodeId node) {
    neighbors_.push_back(add(node));
    ++queries_.back().end;
  }
  /// Appends the products to the lists.
  void append(const Lists& to);

 private:
  struct Query {
    std::size_t row, begin, end;  ///< its row, and its neighbours
  };
  std::size_t add(NodeId node);
  const float* rows(std::size_t row) const { return rows_.data() + row * size_; }
  float* own(std::size_t row, float* to) const;
  float* cross(std::size_t a, std::size_t b, float* to) const;

  const WalkProjections* walks_ = nullptr;
  EventId event_ = 0;
  std::size_t size_ = 0;            ///< numbers of a node's rows
  std::size_t count_ = 0;           ///< rows of distinct nodes so far
  std::vector<float> rows_;         ///< [count_, hops + 1, dim]
  std::vector<NodeId> nodes_;       ///< [count_]
  std::vector<std::size_t> table_;  ///< open hash table of rows by node, + 1; 0: free
  std::vector<Query> queries_;
  std::vector<std::size_t> neighbors_;  ///< rows
};

}  // namespace frugal::tgn
