#include "tools/gnn-sample/tasks/train_task.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "libcore/base/error.h"
#include "libcore/base/log.h"
#include "libcore/base/text.h"
#include "tools/gnn-sample/settings/train_options.h"
#include "tools/gnn-sample/tasks/task_metrics.h"

namespace frugal::gnn {

NodeTask::NodeTask(const StoredGraph& graph, const TrainOptions& options)
    : graph_(graph), options_(options) {
  const NodeSet& set = graph.content().node_set();
  if (!set.has_labels()) {
    fail(ExitStatus::bad_input, graph.path(),
         ": the graph has no labels; give import some (--labels)");
  }
  train_ = find_seeds(graph, "train", options.split);
  valid_ = graph.nodes_in(Part::valid, options.split);
  test_ = graph.nodes_in(Part::test, options.split);
  for (std::vector<NodeId>* nodes : {&train_, &valid_, &test_}) {
    std::erase_if(*nodes, [&](NodeId v) { return !set.is_labelled(v); });
  }
  if (train_.empty()) {
    fail(ExitStatus::bad_input, graph.path(), ": no training node has a label");
  }
  if (!set.values.empty()) take_scale();
  check_classes();
  if (options.select == "auc" && (graph.labels().empty() || graph.num_classes() != 2)) {
    fail(ExitStatus::usage, "--metric auc is for two classes; ", graph.path(), " has ",
         scale_ ? "numbers to predict" : std::to_string(graph.num_classes()));
  }
}

/// One value is nothing to learn.
void NodeTask::take_scale() {
  const std::span<const float> values = graph_.content().node_set().values;
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

BatchTargets NodeTask::targets(const TrainBatch& batch) {
  scaled_.clear();
  if (scale_) {
    for (const float value : batch.values) {
      scaled_.push_back(static_cast<float>(scale_->scaled(value)));
    }
  }
  return {batch.labels, batch.label_rows, {}, scaled_};
}

/// One class is nothing to learn.
void NodeTask::check_classes() const {
  const std::span<const std::int32_t> labels = graph_.labels();
  if (labels.empty()) return;
  const std::int32_t first = labels[train_.front()];
  const auto is_other = [&](std::int32_t label) { return label >= 0 && label != first; };
  if (std::none_of(labels.begin(), labels.end(), is_other)) {
    fail(ExitStatus::bad_input, graph_.path(), ": all nodes with a label are of class ", first,
         ", expected two classes or more");
  }
  if (std::any_of(train_.begin(), train_.end(), [&](NodeId v) { return is_other(labels[v]); })) {
    return;
  }
  log_warning(graph_.path(), ": all ", format_count(train_.size(), "training node"),
              " are of class ", first);
}

BatchMaker::Setup NodeTask::batch_setup() const {
  BatchMaker::Setup setup;
  setup.sampling = options_.sampling;
  setup.max_seeds = options_.batch_size;
  setup.seed = options_.seed;
  return setup;
}

std::vector<float> NodeTask::seed_probabilities() const {
  std::vector<float> seeds(graph_.num_nodes());
  const float share = static_cast<float>(options_.batch_size) / static_cast<float>(train_.size());
  for (const NodeId v : train_) seeds[v] = std::min(1.0F, share);
  return seeds;
}

/// An area that does not exist is no score, NaN.
TaskMetrics NodeTask::evaluate(Part part, const GnnModel& model, Inference& inference) const {
  const NodeMetrics metrics =
      gnn::evaluate(inference, model, graph_, nodes(part), scale_.value_or(ValueScale{}));
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  const double score = options_.select == "loss"  ? -metrics.loss()
                       : options_.select == "auc" ? metrics.auc().value_or(kNone)
                                                  : metrics.score();
  return {metrics.values(), score, metrics.loss(), metrics.baseline(), metrics.beats_baseline()};
}

}  // namespace frugal::gnn
