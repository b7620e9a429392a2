#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "libcore/base/view.h"
#include "libcore/metrics/binary_metrics.h"
#include "libcore/metrics/classification.h"
#include "tools/gnn-sample/inference.h"

namespace frugal::gnn {

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
  std::vector<std::pair<std::string, double>> values() const;

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
