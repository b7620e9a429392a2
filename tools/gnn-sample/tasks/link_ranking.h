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

 private:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  std::vector<std::uint32_t> places_;
  std::size_t dim_;
  Array<float> rows_;
};

struct LinkRankingOptions {
  std::uint32_t negatives = 100;  ///< of each link
  std::uint64_t seed = 0;
  bool all = false;  ///< rank all links, however many
  /// Pairs to rank links among, instead of random ones: those with the link's source if there are
  /// some for each link, else all of them. Empty: random ones.
  std::vector<Link> given = {};
};

/// Ranks links of a part among negatives of their own: pairs of their source and any node of the
/// target's type but the target and, of one type, the source. Or among given ones. If there are
/// more than 100,000 links it ranks every second, third ... of them, at most so many.
class LinkRanking {
 public:
  /// Borrows the links.
  LinkRanking(const LinkRelation& relation, const std::vector<Link>& links, Part part,
              const LinkRankingOptions& options);

  /// Marks the nodes that score() will be asked for. Both may be the same.
  void want(NodeEmbeddings& sources, NodeEmbeddings& targets) const;
  using Score = std::function<float(NodeId source, NodeId target)>;
  LinkMetrics rank(const Score& score) const;
  /// Says what links are ranked among, for messages.
  std::string among() const;
  /// The mean reciprocal rank of a random order: the mean over the links of (1 + 1/2 + ... + 1/n) /
  /// n, with n - 1 negatives of a link.
  double chance() const;

 private:
  void negatives_of(std::size_t link, std::vector<NodeId>& targets) const;
  std::span<const Link> given_of(std::size_t link) const;

  const std::vector<Link>& links_;
  std::uint64_t num_targets_, seed_, stream_;
  bool one_type_;
  std::size_t drawn_, step_;
  std::vector<Link> given_;       ///< by source, each source's in their order
  bool ranks_by_source_ = false;  ///< among given_of() the link alone
};

/// The metrics with the score of the metric that chooses the best epoch: loss, auc or else mrr.
TaskMetrics link_result(const LinkMetrics& metrics, const std::string& select);

}  // namespace frugal::gnn
