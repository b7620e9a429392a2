#pragma once
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "tools/tgn-train/labels/event_labels.h"
#include "tools/tgn-train/memory/stream_session.h"

namespace frugal::tgn {

/// Numbers that a decoder of labels reads of every event: embeddings and features, then tallies of
/// past labels. Tallies of one number are stored as they are, too. With classes most tallies are 0,
/// and only the others are stored.
class LabelInputs {
 public:
  LabelInputs() = default;
  /// dense: numbers of an event that are stored as they are, of all `dim`.
  LabelInputs(std::size_t num_events, std::size_t dense, std::size_t dim);

  std::size_t dim() const { return dim_; }
  /// The dense numbers of an event, [dense], to be written.
  std::span<float> dense(EventId event) { return {rows_.data() + event * dense_, dense_}; }
  /// Adds the tallies, [dim - dense], of the next event, from event 0 on; none: all are 0. Fails
  /// (unavailable) if memory lacks room for them.
  void add_tallies(std::span<const float> tallies);
  /// Writes all numbers of an event to out, [dim()].
  void read(EventId event, float* out) const;
  /// Number of tallies that are stored.
  std::size_t num_stored() const { return values_.size(); }

 private:
  std::size_t dense_ = 0, dim_ = 0;
  Array<float> rows_;                      ///< [events, dense_]
  std::vector<std::uint64_t> ends_ = {0};  ///< [events + 1] where an event's tallies begin
  std::vector<std::uint32_t> columns_;     ///< of each stored tally, counted from dense_
  std::vector<float> values_;
};

/// Computes what a decoder of the task reads of every event before the memory applies the event.
/// The session restarts. `batch` events of one part are computed at once. Fails (Error) if a signal
/// stops it or if there is no room.
LabelInputs label_inputs(StreamSession& session, const LinkData& data, const EventLabels& labels,
                         const LabelTask& task, std::size_t batch,
                         const std::function<void(double share)>& progress);

}  // namespace frugal::tgn
