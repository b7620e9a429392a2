#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "tools/tgn-train/data/event_view.h"
#include "tools/tgn-train/data/feature_rows.h"

namespace frugal::tgn {

/// The events of a growing stream that are still needed. Others are dropped, and the remaining ones
/// get new numbers in the same order. The first event always stays, because nodes without events
/// count their time from it.
class LiveEvents {
 public:
  /// features: number of features of an event. types: number of edge types; 0: events have none.
  explicit LiveEvents(std::size_t features, std::size_t types = 0)
      : dim_(features), num_types_(types) {}

  EventId size() const { return static_cast<EventId>(sources_.size()); }
  std::size_t num_features() const { return dim_; }
  std::size_t num_types() const { return num_types_; }
  /// True while all times are integers.
  bool has_whole_times() const { return has_whole_times_; }
  /// Converts times to doubles. Fails (bad_input), without the place, if an integer time has no
  /// exact double.
  void make_times_real();
  /// Appends an event, which must not be before the last one. time: of the present kind (whole or
  /// real). features: [num_features()]. type: below num_types(), if there are any. Fails
  /// (unavailable) if there are no more event numbers.
  EventId add(NodeId source, NodeId destination, EventTime time, std::span<const float> features,
              std::uint16_t type = 0);

  /// Removes the last event.
  void pop_back();

  /// View of the events, valid until events are added or dropped. num_nodes: above all nodes of the
  /// events.
  EventView view(std::size_t num_nodes) const;
  /// Time from the first event to `time`; 0 if there is none.
  double since_first(EventTime time) const {
    return size() == 0 ? 0 : view(0).times.between(0, time);
  }
  FeatureRows features() const;

  /// Drops events with keep[event] = 0, except the first, which must be kept. Returns the new
  /// number of each event, or kNoEvent for dropped ones.
  std::vector<EventId> drop(const std::vector<std::uint8_t>& keep);

 private:
  std::size_t dim_, num_types_;
  std::vector<std::uint16_t> types_;  ///< empty without types
  std::vector<NodeId> sources_, destinations_;
  bool has_whole_times_ = true;
  std::vector<std::int64_t> whole_;
  std::vector<double> real_;
  std::vector<float> features_;  ///< [events, dim_]
};

}  // namespace frugal::tgn
