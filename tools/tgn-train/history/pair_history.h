#pragma once
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tools/tgn-train/data/event_times.h"
#include "tools/tgn-train/data/event_view.h"
#include "tools/tgn-train/history/partner_rings.h"
#include "tools/tgn-train/history/walk_projections.h"

namespace frugal::tgn {

/// Mean time between neighbouring events of [begin, end); 1 where all have the same time.
inline double mean_gap(const EventTimes& times, EventId begin, EventId end) {
  const double duration = begin + 1 < end ? times.between(begin, end - 1) : 0;
  return duration > 0 ? duration / static_cast<double>(end - 1 - begin) : 1;
}

struct PairHistoryOptions {
  /// Number of features of a pair.
  std::size_t num_features() const;

  std::size_t places = 10;  ///< last partners that are remembered of each node
  /// A time after which something is no longer new, say the mean gap between events.
  double time_unit = 1;
  /// walks.dim 0: without.
  WalkProjectionOptions walks;
};

/// Options whose times fit a stream, as far as training sees it: the mean gap between events, and a
/// tenth of training's duration for walks to fade (between a hundredth and all of it changes what a
/// logistic regression makes of the features by less than 0.03 MRR).
PairHistoryOptions pair_options_for(const EventTimes& times, EventId train_end);

/// What a source and a candidate have in common, from a state of fixed size a node that follows the
/// stream: features for a decoder, each of the order of 1. Exact times; the same on every run.
class PairHistory {
 public:
  PairHistory(const PairHistoryOptions& options, const EventTimes& times, std::size_t num_nodes,
              const NodeKeys& keys = {});
  /// From now on these are the events of the stream, which has grown: those known so far have their
  /// numbers, or new ones that renumber() tells; there may be more nodes.
  void use(const EventView& events);
  /// Sets keep[event] of all events that are needed.
  void mark_needed(std::vector<std::uint8_t>& keep);
  /// numbers: of each event its new one.
  void renumber(std::span<const EventId> numbers);

  /// Number of features of a pair.
  std::size_t dim() const;
  /// What they are, in their order.
  std::vector<std::string> names() const;
  /// out: [candidates, dim()], as of the time of `event` and the events that were added. May be
  /// called by several threads.
  void features(NodeId source, std::span<const NodeId> candidates, EventId event, float* out) const;
  /// Events come in their order.
  void add(NodeId source, NodeId destination, EventId event);
  void reset();

  /// A part of what it remembers, by name, to be copied and put back.
  struct Piece {
    const char* name;
    std::span<std::byte> bytes;
  };
  std::vector<Piece> pieces();
  /// After pieces were put back: whether all nodes and events are such as the stream has, and
  /// all numbers finite.
  bool is_whole() const;

 private:
  struct SourceFacts;
  SourceFacts facts_of(NodeId source, EventId event) const;
  void ring_features(const SourceFacts& source, NodeId candidate, EventId event, float* out) const;
  /// 1 for now, falling with the logarithm of the time since `moment`.
  float closeness(EventId moment, EventId event) const;
  void prefetch(NodeId node) const;

  PairHistoryOptions options_;
  EventTimes times_;
  PartnerRings rings_;
  std::vector<std::uint32_t> destination_counts_;  ///< [nodes]
  std::optional<WalkProjections> walks_;
};

}  // namespace frugal::tgn
