#pragma once
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "libcore/base/array.h"
#include "libcore/base/view.h"
#include "tools/gnn-sample/tasks/link_split.h"
#include "tools/gnn-sample/tasks/task_metrics.h"

namespace frugal::gnn {

/// Embeddings of some nodes of a type.
class NodeEmbeddings {
 public:
  /// dim: numbers of an embedding.
  NodeEmbeddings(std::size_t num_nodes, std::size_t dim) : places_(num_nodes, kNone), dim_(dim) {}

  void want(NodeId node) { places_[node] = 0; }
  /// The nodes that are wanted, ascending. Makes room for their embeddings, or
  /// fails (unavailable).
  std::vector<NodeId> make_room();
  /// Sets the embeddings of nodes [first, first + rows.rows) of this list.
  void set(std::size_t first, MatrixView<const float> rows);
  const float* row(NodeId node) const { return rows_.data() + places_[node] * dim_; }
  /// Dot product of a node's embedding and another's, of the same nodes or others.
  float dot(NodeId node, const NodeEmbeddings& others, NodeId other) const;

 private:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  std::vector<std::uint32_t> places_;
  std::size_t dim_;
  Array<float> rows_;
};

struct LinkRankingOptions {
  std::uint32_t negatives = 100;  ///< of each link
  std::uint64_t seed = 0;
  bool all = false;                       ///< rank all links, however many
  const GivenNegatives* given = nullptr;  ///< to rank links among; borrowed; null: random pairs
};

/// Ranks links of a part among negatives. If none are given, each link has its own: pairs of its
/// source and any node of the target's type but the target and, of one type, the source. If there
/// are more than 100,000 links it then ranks every second, third ... of them, at most so many.
class LinkRanking {
 public:
  /// Borrows the links.
  LinkRanking(const LinkRelation& relation, const std::vector<Link>& links, Part part,
              const LinkRankingOptions& options);

  /// Marks the nodes that score() will be asked for. Both may be the same.
  void want(NodeEmbeddings& sources, NodeEmbeddings& targets) const;
  using Score = std::function<float(NodeId source, NodeId target)>;
  LinkMetrics rank(const Score& score) const;
  /// The metrics of rank() with the score of the metric that chooses the best epoch: loss, auc or
  /// else mrr.
  TaskMetrics result(const Score& score, const std::string& select) const;
  /// Says what a link is ranked among, for messages and results.
  std::string among() const;
  /// The mean reciprocal rank of a random order: the mean over the links of (1 + 1/2 + ... + 1/n) /
  /// n, with n - 1 negatives of a link.
  double chance() const;

 private:
  void negatives_of(std::size_t link, std::vector<NodeId>& targets) const;
  using Group = std::function<void(std::span<const Link> links, std::span<const Link> negatives)>;
  void for_each_group(const Group& body) const;

  const std::vector<Link>& links_;
  std::uint64_t num_targets_, seed_, stream_;
  bool one_type_;
  std::size_t drawn_, step_;
  const GivenNegatives* given_;
};

}  // namespace frugal::gnn
