#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "libcore/base/view.h"
#include "libcore/metrics/classification.h"
#include "libcore/metrics/named_values.h"
#include "tools/gnn-sample/tasks/inference.h"

namespace frugal::gnn {

/// How well scores tell links from negatives. Ranks are among a link's own negatives, each that
/// scores the same counts half. For the area under the ROC curve, average precision and the loss
/// each link goes with the first of its negatives.
class LinkMetrics {
 public:
  /// One link or more, each with one negative or more.
  void add(float score, std::span<const float> negatives);

  std::uint64_t links() const { return ranks_; }
  double mrr() const { return reciprocals_ / static_cast<double>(ranks_); }
  double auc() const { return binary_.auc(); }
  double loss() const { return binary_.log_loss(); }
  /// Mean over the links of the share of links among what scores as high or higher.
  double average_precision() const;
  /// All of them by name; hits_at_10 where each link has as many negatives.
  NamedValues values() const;

 private:
  BinaryMetrics binary_;
  std::vector<std::pair<float, bool>> scores_;  ///< and whether it is a link's
  std::uint64_t ranks_ = 0, hits_ = 0;
  std::size_t fewest_negatives_ = ~std::size_t{0};
  double reciprocals_ = 0;
};

/// How well outputs tell the labels of nodes. Nodes without a label do not count.
class NodeMetrics {
 public:
  /// Borrows the graph, which has labels, as long as nodes are added.
  explicit NodeMetrics(const StoredGraph& graph);

  void add(NodeId node, std::span<const float> outputs);

  std::uint64_t nodes() const { return nodes_; }
  /// Share of nodes whose class has the largest output; several labels a node: micro-averaged F1.
  double accuracy() const;
  double loss() const { return loss_ / static_cast<double>(nodes_); }
  double macro_f1() const;
  /// The accuracy of always saying the class that is the commonest of these nodes.
  double commonest_share() const;
  /// Area under the ROC curve, where there are two classes.
  std::optional<double> auc() const;
  /// What there is of them, by name.
  NamedValues values() const;

 private:
  void add_class(NodeId node, std::span<const float> outputs);
  void add_labels(NodeId node, std::span<const float> outputs);

  const StoredGraph& graph_;
  bool several_;  ///< labels a node
  Confusion confusion_;
  std::optional<BinaryMetrics> binary_;
  std::uint64_t nodes_ = 0;
  double loss_ = 0;
  std::uint64_t hits_ = 0, misses_ = 0;  ///< several labels: right ones, wrong or missing ones
};

NodeMetrics evaluate(Inference& inference, const GnnModel& model, const StoredGraph& graph,
                     std::span<const NodeId> nodes);

}  // namespace frugal::gnn
