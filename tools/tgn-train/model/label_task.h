#pragma once
#include <cstddef>
#include <string>
#include <string_view>

#include "libcore/metrics/value_metrics.h"
#include "tools/tgn-train/data/event_formats.h"
#include "tools/tgn-train/data/header_names.h"
#include "tools/tgn-train/history/label_history.h"
#include "tools/tgn-train/network/tgn_model.h"

namespace frugal::tgn {

/// Labels that a decoder predicts, and what it reads of an event.
struct LabelTask {
  bool of_event = false;        ///< reads the embeddings of both ends, else of the source
  bool reads_features = false;  ///< and the event's own features
  bool reads_history = false;   ///< and LabelHistory
  bool reads_ages = false;      ///< and the latter's ages of last labels
  LabelType type = LabelType::binary;
  HeaderNames classes;
  ValueScale scale;  ///< of outputs that are numbers

  /// Numbers of a label in a LabelHistory.
  std::size_t width() const { return type == LabelType::classes ? classes.size() : 1; }
  /// times: scale of the model's times.
  LabelHistory history(const TimeScale& times) const {
    return LabelHistory(type, width(), reads_ages ? std::optional(times) : std::nullopt);
  }
  /// Factor of the embeddings that the decoder reads. Small embeddings make it learn from past
  /// labels first, which predict more. Validation chose 1/32 on bitcoin-otc and MovieLens.
  /// Features of nodes, in place of embeddings of a network, stay as they are.
  float embedding_scale(const TgnModel& model) const {
    return reads_history && !model.options().is_empty ? 1.0F / 32 : 1;
  }
  /// Numbers of the embeddings that the decoder reads of an event.
  std::size_t embedded(const TgnModel& model) const {
    return model.options().memory_dim * (of_event ? 2 : 1);
  }
  /// Numbers that the decoder reads of an event.
  std::size_t inputs(const TgnModel& model) const {
    return embedded(model) + (reads_features ? model.inputs().edge_features : 0) + tallies();
  }
  /// Numbers of these that LabelHistory writes.
  std::size_t tallies() const {
    return reads_history ? LabelHistory::num_inputs(type, width(), reads_ages) : 0;
  }
  /// Label as the network and LabelHistory read it.
  float scaled(float label) const {
    return type == LabelType::numbers ? static_cast<float>(scale.scaled(label)) : label;
  }
  /// Fails (bad_input) with `place` if the label is so far from those of training that squares and
  /// sums of scaled labels could leave the range of float.
  void check_range(float label, const std::string& place) const;
  /// Number of a class. Fails (bad_input) with `place` if `model` does not know it.
  float number_of(std::string_view name, const std::string& place, const std::string& model) const;
};

}  // namespace frugal::tgn
