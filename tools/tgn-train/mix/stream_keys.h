#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "tools/tgn-train/data/event_view.h"
#include "tools/tgn-train/mix/mix_keys.h"

namespace frugal::tgn {

/// The keys of the events of a whole stream: each sees all events strictly before its time.
class StreamKeys {
 public:
  /// Bytes that the keys of all events take at most: about 2 KB for a node with 10 events, and 13
  /// KB from 50 on. An object whose keep() is called takes twice as much.
  static std::uint64_t most_bytes(std::span<const NodeId> sources,
                                  std::span<const NodeId> destinations, std::size_t num_nodes);
  /// Bytes of the keys of all events, with those within types if events have types.
  static std::uint64_t most_bytes(const EventView& events);

  /// events: must outlive the object.
  StreamKeys(const EventView& events, double time_unit);

  /// Goes to an event, and keeps a copy of the state there to come back to.
  void keep(EventId event);
  /// Sets `keys` to those of the event's source with each candidate. If a later event was asked for
  /// before, goes back to the kept event, or to the beginning of the stream.
  void keys(EventId event, std::span<const NodeId> candidates, std::vector<float>& keys);
  /// The best of the candidates after the first one by keys alone: MixKeys::shortlist(). Goes back
  /// as keys() does.
  Shortlist shortlist(const KeyMix& mix, EventId event, std::span<const NodeId> candidates,
                      std::size_t count);
  /// Numbers that keys() writes for a candidate.
  std::size_t width() const { return keys_.width(); }
  /// Sets `nodes` to the likely destinations of the event: MixKeys::likely().
  void likely(EventId event, std::vector<NodeId>& nodes);

 private:
  bool typed() const { return !events_.types.empty(); }
  void go_to(EventId event);
  MixEvent event_of(EventId event) const;
  MixKeys before_all() const { return MixKeys(time_unit_, typed(), events_.num_nodes); }

  EventView events_;
  double time_unit_;
  MixKeys keys_;
  EventId next_ = 0;  ///< the first event that keys_ was not given
  std::optional<MixKeys> kept_;
  EventId kept_at_ = 0;
};

}  // namespace frugal::tgn
