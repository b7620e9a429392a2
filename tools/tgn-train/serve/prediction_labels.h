#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "tools/tgn-train/data/event_parser.h"
#include "tools/tgn-train/data/event_stream.h"
#include "tools/tgn-train/model/model_file.h"
#include "tools/tgn-train/serve/prediction_answers.h"

namespace frugal::tgn {

/// Features and edge type of an event.
struct EventInputs {
  std::span<const float> features;
  std::uint16_t type = 0;  ///< 0 of a model without types, too
};

/// Predicts the labels of the events of a stream that goes on, from the network's embeddings, past
/// labels and features.
class PredictionLabels {
 public:
  /// stored: has labels, and must outlive the object.
  explicit PredictionLabels(TgnModelFile& stored)
      : stored_(stored), task_(stored.label_task), history_(task_.history(stored.session.time)) {}

  const LabelTask& task() const { return task_; }
  /// Tallies of past labels, for files; null if the decoder reads none.
  LabelHistory* history() { return task_.reads_history ? &history_ : nullptr; }
  void grow(std::size_t num_nodes) {
    if (task_.reads_history) history_.grow(num_nodes);
  }
  /// Adds the labels of a stream's events, and says if it has none. Fails (bad_input) if the model,
  /// read from `path`, predicts other labels.
  void pass(const EventStream& stream, const std::string& path);
  /// Label of an event as the decoder reads it; NaN: none. Fails (bad_input) for a class that the
  /// model does not know, and for a number out of its range.
  float label_of(const TextEvent& event) const;
  /// Adds an event whose embeddings take() gets next. time: since the first event. label: of
  /// label_of(); it counts for later events.
  void expect(NodeId source, NodeId destination, double time, const EventInputs& inputs,
              float label);
  /// Takes embeddings of source and destination, in turn, for the events expected.
  void take(MatrixView<const float> embeddings);
  /// Answers for the events expected since the last call, as label_answer().
  std::vector<std::string> answers(ScoreForm form, bool json);

 private:
  TgnModelFile& stored_;
  const LabelTask& task_;
  LabelHistory history_;
  std::size_t expected_ = 0;       ///< events since the last answers
  std::vector<float> embeddings_;  ///< [expected, ends * dim]
  std::vector<float> facts_;       ///< [expected, what the decoder reads beside embeddings]
};

}  // namespace frugal::tgn
