#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "libcore/metrics/named_values.h"
#include "tools/tgn-train/labels/label_inputs.h"
#include "tools/tgn-train/network/label_decoder.h"

namespace frugal::tgn {

/// How well outputs predict labels.
struct LabelMetrics {
  double auc = 0, ap = 0;  ///< of labels 0 and 1, and of two classes
  /// AUC of labels 0 and 1, accuracy of classes, or r2 of numbers.
  double score = 0;
  NamedValues values;
};
/// Names that LabelMetrics::values may have.
std::vector<std::string> label_metric_names();
/// outputs: logits, or numbers in the scale of the task.
LabelMetrics label_metrics(const LabelTask& task, std::span<const float> labels,
                           MatrixView<const float> outputs);

/// Metrics of the test by predictions without learning. constant: the share of ones, the commonest
/// class or the mean in training. source, destination: the same of the node's labels before the
/// event's time, with the constant as one more label. both: LabelHistory::expected().
struct LabelBaselines {
  LabelMetrics constant, source, destination, both;

  /// Name and metrics of the best.
  std::pair<std::string, const LabelMetrics*> best() const;
};
LabelBaselines test_label_baselines(const LinkData& data, const EventLabels& labels,
                                    const LabelTask& task);

/// Everything that a decoder reads of an event.
struct LabelReads {
  bool history = false, ages = false;  ///< LabelTask::reads_history, reads_ages
  /// Numbers of embeddings, of features of its nodes in place of these, and of its own features.
  std::size_t embeddings = 0, node_features = 0, event_features = 0;

  /// "past labels with their ages, 3 features of the event"
  std::string text() const;
};
LabelReads label_reads(const LabelTask& task, const TgnModel& model);

/// Numbers of tested events and metrics of the labels; labelled: EventLabels::count().
struct LabelTests {
  LabelType type = LabelType::binary;
  std::uint64_t valid_events = 0, valid_labelled = 0, test_events = 0, test_labelled = 0;
  LabelReads reads;
  LabelMetrics valid, test;
  LabelBaselines baselines;
};
/// Metrics of a part's events. inputs: of all events, from label_inputs(). tested: called with
/// every event's outputs; may be null.
LabelMetrics test_labels(LabelDecoder& decoder, const LabelTask& task, const EventLabels& labels,
                         const std::pair<EventId, EventId>& events, const LabelInputs& inputs,
                         const std::function<void(EventId, std::span<const float>)>& tested = {});

/// "label 1", "a class" or "a number".
std::string labelled_text(LabelType type);

}  // namespace frugal::tgn
