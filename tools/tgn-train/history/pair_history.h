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

/// Mean time between consecutive events of [begin, end); 1 if all have the same time.
inline double mean_gap(const EventTimes& times, EventId begin, EventId end) {
  const double duration = begin + 1 < end ? times.between(begin, end - 1) : 0;
  return duration > 0 ? duration / static_cast<double>(end - 1 - begin) : 1;
}

struct PairHistoryOptions {
  /// Number of features of a pair.
  std::size_t num_features() const;

  std::size_t places = 10;  ///< number of last partners stored for each node
  /// Scale of recency, say the mean gap between events.
  double time_unit = 1;
  /// Options of walk projections; none if walks.dim is 0.
  WalkProjectionOptions walks;
  /// True if events have edge types: more features, of the events of the type that is asked about.
  bool typed = false;
};

/// Options with times that fit the training events of a stream: the mean gap between events, and
/// for walks a half-life of a tenth of training's duration. (Between a hundredth and all of it, a
/// logistic regression on the features changes by less than 0.03 MRR.)
PairHistoryOptions pair_options_for(const EventTimes& times, EventId train_end);

/// Options for a network that embeds pairs by walks (EmbeddingKind::walks), which reads nothing of
/// the rings. As the authors of TPNet: walks of up to three hops, and projections of size 10
/// floor(ln (2 events)). They chose a decay for each stream. A half-life of 0.37 of training's
/// duration is their 1e-6 a second on Wikipedia's edits.
PairHistoryOptions walk_options_for(const EventTimes& times, EventId train_end);

/// Features of a source and a candidate for the decoder, each of the order of 1, from what they
/// have in common in the past. The state has a fixed size for each node and follows the stream.
/// Results are the same in every run.
class PairHistory {
 public:
  PairHistory(const PairHistoryOptions& options, const EventTimes& times, std::size_t num_nodes,
              const NodeKeys& keys = {}, std::span<const std::uint16_t> types = {});
  /// Replaces the events after the stream has grown. Events known so far keep their numbers, or
  /// renumber() gives their new ones. There may be more nodes.
  void use(const EventView& events);
  /// Sets keep[event] for all events that are still needed.
  void mark_needed(std::vector<std::uint8_t>& keep);
  /// Replaces each event by numbers[event].
  void renumber(std::span<const EventId> numbers);

  /// Number of features of a pair.
  std::size_t dim() const;
  /// Names of the features, in order.
  std::vector<std::string> names() const;
  /// Writes the features at the time of `event`, of its type, by the events added so far, to out,
  /// [candidates, dim()]. May be called by several threads.
  void features(NodeId source, std::span<const NodeId> candidates, EventId event, float* out) const;
  /// Adds an event. Events must come in order.
  void add(NodeId source, NodeId destination, EventId event);
  void reset();
  /// Requires walks.dim above 0.
  const WalkProjections& walks() const { return *walks_; }

  /// A named part of the state, to be copied and restored.
  struct Piece {
    const char* name;
    std::span<std::byte> bytes;
  };
  std::vector<Piece> pieces();
  /// After pieces were restored: true if all nodes and events exist in the stream, and all numbers
  /// are finite.
  bool is_whole() const;

 private:
  struct SourceFacts;
  SourceFacts facts_of(NodeId source, EventId event) const;
  void ring_features(const SourceFacts& source, NodeId candidate, EventId event, float* out) const;
  void typed_features(NodeId source, NodeId candidate, EventId event, float* out) const;
  /// 1 for the present, falling with the logarithm of the time since `moment`.
  float closeness(EventId moment, EventId event) const;
  void prefetch(NodeId node) const;

  PairHistoryOptions options_;
  EventTimes times_;
  std::span<const std::uint16_t> types_;
  PartnerRings rings_;
  std::vector<std::uint32_t> destination_counts_;  ///< [nodes]
  std::optional<WalkProjections> walks_;
};

}  // namespace frugal::tgn
