#pragma once
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "libcore/graph/csr.h"

namespace frugal {

/// A view of an undirected graph whose nodes have weights, each of which counts in one group.
struct WeightedView {
  CsrView csr;
  std::span<const std::uint64_t> node_weights;        ///< [nodes]
  std::span<const std::uint32_t> node_groups = {};    ///< [nodes]; empty: all are in group 0
  std::span<const std::uint64_t> group_weights = {};  ///< [groups] sum of weights; or empty

  std::size_t num_nodes() const { return csr.num_nodes(); }
  std::size_t num_groups() const { return node_groups.empty() ? 1 : group_weights.size(); }
  std::uint32_t group(NodeId v) const { return node_groups.empty() ? 0 : node_groups[v]; }
  std::uint64_t weight() const {
    return std::accumulate(node_weights.begin(), node_weights.end(), std::uint64_t{0});
  }
  /// Calls body(neighbour) for each edge of v except self loops.
  template <class Body>
  void for_each_edge(NodeId v, const Body& body) const {
    for (EdgeId e = csr.offsets[v]; e < csr.offsets[v + 1]; ++e) {
      if (csr.neighbors[e] != v) body(csr.neighbors[e]);
    }
  }
};

/// Sums of weights by part, of which few are touched at a time.
class SparseSums {
 public:
  explicit SparseSums(std::size_t size) : sums_(size) {}
  void add(NodeId key, std::uint64_t weight) {
    if (sums_[key] == 0) keys_.push_back(key);
    sums_[key] += weight;
  }
  std::uint64_t operator[](NodeId key) const { return sums_[key]; }
  /// Keys with a sum, in the order in which they were first added to.
  const std::vector<NodeId>& keys() const { return keys_; }
  void clear() {
    for (const NodeId key : keys_) sums_[key] = 0;
    keys_.clear();
  }

 private:
  std::vector<std::uint64_t> sums_;
  std::vector<NodeId> keys_;
};

}  // namespace frugal
