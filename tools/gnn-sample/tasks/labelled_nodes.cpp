#include "tools/gnn-sample/tasks/labelled_nodes.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "libcore/base/error.h"
#include "libcore/base/log.h"
#include "libcore/base/text.h"
#include "tools/gnn-sample/settings/sampling_options.h"

namespace frugal::gnn {

LabelledNodes::LabelledNodes(const StoredGraph& graph, std::size_t type, std::uint64_t split,
                             const std::string& metric)
    : graph_(graph), type_(type), metric_(metric) {
  if (!set().has_labels()) {
    const std::string& name = set().type;
    fail(ExitStatus::bad_input, graph.path(),
         name.empty() ? ": the graph has no labels; give import some (--labels)"
                      : ": nodes of type " + printable(name) + " have no labels; give import " +
                            "some (--labels TYPE=FILE)");
  }
  train_ = find_seeds(graph, "train", split, type);
  valid_ = graph.nodes_in(Part::valid, split, type);
  test_ = graph.nodes_in(Part::test, split, type);
  for (std::vector<NodeId>* nodes : {&train_, &valid_, &test_}) {
    std::erase_if(*nodes, [&](NodeId v) { return !set().is_labelled(v); });
  }
  if (train_.empty()) {
    fail(ExitStatus::bad_input, graph.path(), ": no training node has a label");
  }
  if (!set().values.empty()) take_scale();
  check_classes();
  commonest_ = commonest_class(set(), train_);
  if (metric == "auc" && (set().labels.empty() || set().num_classes != 2)) {
    fail(ExitStatus::usage, "--metric auc is for two classes; ", graph.path(), " has ",
         scale_ ? "numbers to predict" : std::to_string(set().num_classes));
  }
}

/// One value is nothing to learn.
void LabelledNodes::take_scale() {
  const std::span<const float> values = set().values;
  const auto count = static_cast<double>(train_.size());
  double sum = 0, squares = 0;
  for (const NodeId v : train_) sum += values[v];
  const double mean = sum / count;
  for (const NodeId v : train_) squares += (values[v] - mean) * (values[v] - mean);
  if (squares == 0) {
    fail(ExitStatus::bad_input, graph_.path(), ": all training nodes have the label ",
         format_number(mean), ", expected different numbers");
  }
  scale_ = ValueScale{mean, std::sqrt(squares / count)};
}

BatchTargets LabelledNodes::targets(const SeedLabels& labels) {
  scaled_.clear();
  if (scale_) {
    for (const float value : labels.values) {
      scaled_.push_back(static_cast<float>(scale_->scaled(value)));
    }
  }
  return {labels.classes, labels.rows, {}, scaled_};
}

/// A class that no training node has is an output that is never right.
void LabelledNodes::warn_of_absent_classes() const {
  const std::span<const std::int32_t> labels = set().labels;
  std::vector<bool> is_learnt(set().num_classes);
  for (const NodeId v : train_) is_learnt[static_cast<std::size_t>(labels[v])] = true;
  std::uint64_t count = 0;
  std::int32_t example = 0;
  for (const std::vector<NodeId>* nodes : {&valid_, &test_}) {
    for (const NodeId v : *nodes) {
      if (is_learnt[static_cast<std::size_t>(labels[v])]) continue;
      example = count++ == 0 ? labels[v] : example;
    }
  }
  if (count == 0) return;
  log_warning(graph_.path(),
              ": nodes of validation and test whose class no training node has: ", count,
              ", the first of class ", example);
}

/// One class is nothing to learn.
void LabelledNodes::check_classes() const {
  const std::span<const std::int32_t> labels = set().labels;
  if (labels.empty()) return;
  const std::int32_t first = labels[train_.front()];
  const auto is_other = [&](std::int32_t label) { return label >= 0 && label != first; };
  if (std::none_of(labels.begin(), labels.end(), is_other)) {
    fail(ExitStatus::bad_input, graph_.path(), ": all nodes with a label are of class ", first,
         ", expected two classes or more");
  }
  if (std::any_of(train_.begin(), train_.end(), [&](NodeId v) { return is_other(labels[v]); })) {
    return warn_of_absent_classes();
  }
  const bool one = train_.size() == 1;
  log_warning(graph_.path(), one ? ": the only training node is" : ": all ",
              one ? "" : std::to_string(train_.size()) + " training nodes are", " of class ",
              first);
}

TaskMetrics LabelledNodes::result(const NodeMetrics& metrics) const {
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  const double score = metric_ == "loss"  ? -metrics.loss()
                       : metric_ == "auc" ? metrics.auc().value_or(kNone)
                                          : metrics.score();
  return {metrics.values(), score, metrics.loss(), metrics.baseline(), metrics.beats_baseline()};
}

}  // namespace frugal::gnn
