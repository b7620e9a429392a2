#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "tools/tgn-train/data/event_view.h"
#include "tools/tgn-train/data/feature_rows.h"

namespace frugal::tgn {

/// The events of a stream that goes on, as far as they are still needed: those that nobody will ask
/// for again are dropped, the others then have new numbers in the same order. The first one stays:
/// nodes without events count their time from it.
class LiveEvents {
 public:
  /// features: of each event.
  explicit LiveEvents(std::size_t features) : dim_(features) {}

  EventId size() const { return static_cast<EventId>(sources_.size()); }
  std::size_t num_features() const { return dim_; }
  /// Whether times are whole numbers, as they are until one has a fraction.
  bool has_whole_times() const { return has_whole_times_; }
  /// Fails (bad_input), without a place, where a whole time is too large for doubles to be exact.
  void make_times_real();
  /// Behind all, not before the last one. time: of the kind that the events have; features:
  /// [num_features()]. Fails (unavailable) beyond the numbers that events have.
  EventId add(NodeId source, NodeId destination, EventTime time, std::span<const float> features);

  /// Takes back the last one.
  void pop_back();

  /// Valid until events are added or dropped. num_nodes: beyond all nodes of the events.
  EventView view(std::size_t num_nodes) const;
  FeatureRows features() const;

  /// Drops those of which keep says 0, which must not be the first. Returns [size() before] new
  /// numbers, kNoEvent of those dropped.
  std::vector<EventId> drop(const std::vector<std::uint8_t>& keep);

 private:
  std::size_t dim_;
  std::vector<NodeId> sources_, destinations_;
  bool has_whole_times_ = true;
  std::vector<std::int64_t> whole_;
  std::vector<double> real_;
  std::vector<float> features_;  ///< [events, dim_]
};

}  // namespace frugal::tgn
