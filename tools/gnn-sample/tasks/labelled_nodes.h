#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "libcore/metrics/value_metrics.h"
#include "tools/gnn-sample/batches/seed_labels.h"
#include "tools/gnn-sample/data/stored_graph.h"
#include "tools/gnn-sample/network/gnn_loss.h"
#include "tools/gnn-sample/tasks/task_metrics.h"

namespace frugal::gnn {

/// Nodes of one type of a graph to learn from: those with a label in each part of a split. It
/// borrows the graph.
class LabelledNodes {
 public:
  /// type: index in GraphContent::nodes. metric: that chooses the best epoch. Fails if the nodes
  /// have no labels that a network could learn, or none for the metric.
  LabelledNodes(const StoredGraph& graph, std::size_t type, std::uint64_t split,
                const std::string& metric);

  const NodeSet& set() const { return graph_.content().nodes[type_]; }
  const std::vector<NodeId>& nodes(Part part) const {
    return part == Part::train ? train_ : part == Part::valid ? valid_ : test_;
  }
  std::size_t num_outputs() const { return scale_ ? 1 : set().num_classes; }
  /// Scale in which outputs are the numbers to predict, if the task is regression.
  const std::optional<ValueScale>& value_scale() const { return scale_; }

  /// Targets of the seeds' outputs; valid until the next call.
  BatchTargets targets(const SeedLabels& labels);
  /// Metrics of no node yet.
  NodeMetrics metrics() const {
    return NodeMetrics(set(), scale_.value_or(ValueScale{}), commonest_);
  }
  /// The score by the metric; NaN for an area that does not exist.
  TaskMetrics result(const NodeMetrics& metrics) const;

 private:
  void check_classes() const;
  void warn_of_absent_classes() const;
  void take_scale();

  const StoredGraph& graph_;
  std::size_t type_;
  std::string metric_;
  std::vector<NodeId> train_, valid_, test_;
  std::optional<ValueScale> scale_;         ///< of regression
  std::optional<std::uint32_t> commonest_;  ///< class of the training nodes
  std::vector<float> scaled_;               ///< the values of a mini-batch
};

}  // namespace frugal::gnn
