#pragma once
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "libcore/base/array.h"
#include "libcore/base/hash.h"
#include "libcore/graph/csr.h"
#include "tools/tgn-train/data/event_times.h"
#include "tools/tgn-train/data/event_view.h"

namespace frugal::tgn {

/// Pairs of nodes that met: open addressing with linear probing, 16 bytes a slot, at most three
/// quarters of the slots in use. One that is looked for costs a cache line as a rule.
class PairTable {
 public:
  struct Pair {
    NodeId source = 0, destination = 0;
    EventId last = 0;         ///< as add() was told
    std::uint32_t count = 0;  ///< of meetings; 0: the slot is free
  };

  /// Begins with room for `pairs` of them.
  explicit PairTable(std::size_t pairs = 0);

  /// The pair, or null if it never met.
  const Pair* find(NodeId source, NodeId destination) const {
    const Pair& pair = slots_[slot_of(source, destination)];
    return pair.count == 0 ? nullptr : &pair;
  }
  /// Asks for the cache line that find() will read.
  void prefetch(NodeId source, NodeId destination) const {
    __builtin_prefetch(slots_.data() + (hash(source, destination) & mask_));
  }
  /// Another meeting.
  void add(NodeId source, NodeId destination, EventId event);

  std::size_t size() const { return size_; }
  std::size_t num_bytes() const { return slots_.size() * sizeof(Pair); }

 private:
  static std::uint64_t hash(NodeId source, NodeId destination) {
    return mix64(std::uint64_t{source} << 32 | destination);
  }
  /// Where the pair is, or the free slot where it belongs.
  std::size_t slot_of(NodeId source, NodeId destination) const {
    std::size_t i = hash(source, destination) & mask_;
    while (slots_[i].count != 0 &&
           (slots_[i].source != source || slots_[i].destination != destination)) {
      i = (i + 1) & mask_;
    }
    return i;
  }
  void grow();

  Array<Pair> slots_;  ///< a power of two of them
  std::size_t mask_ = 0, size_ = 0;
};

/// How often each node was a destination, an occurrence h events ago counting 2^(-h / half_life).
/// After PopTrack (Daniluk, Dabrowski, "Temporal graph models fail to capture global temporal
/// dynamics", 2023), which multiplies all counts by a constant after each batch. Here the logarithm
/// of the count as of event 0 is kept, which no event changes but the node's own.
class DecayedPopularity {
 public:
  DecayedPopularity(double half_life, std::size_t num_nodes)
      : rate_(1 / half_life), log_counts_(num_nodes, kNever) {}

  /// The binary logarithm of the decayed count before `event`; -infinity where there is none.
  double log2_count(NodeId node, EventId event) const {
    return log_counts_[node] - rate_ * static_cast<double>(event);
  }
  /// `node` is the destination of `event`; events come in their order.
  void add(NodeId node, EventId event) {
    const double now = rate_ * static_cast<double>(event);
    log_counts_[node] = now + std::log2(1 + std::exp2(log_counts_[node] - now));
  }

 private:
  static constexpr double kNever = -std::numeric_limits<double>::infinity();

  double rate_;
  std::vector<double> log_counts_;  ///< [nodes]
};

/// What the past says about a source and a candidate for its next destination. Times are given by
/// the first event that has them, so that equal times are equal; kNoEvent is never.
struct PairFacts {
  static constexpr std::size_t kHalfLives = 4;

  EventId link = kNoEvent;         ///< when the source last met the candidate, as its destination
  EventId reply = kNoEvent;        ///< when the candidate, as a source, last met the source
  EventId destination = kNoEvent;  ///< when the candidate was last a destination
  EventId activity = kNoEvent;     ///< when the candidate last took part in an event
  std::uint32_t link_count = 0, destination_count = 0;
  /// log2 of the decayed counts, by the history's half-lives.
  std::array<float, kHalfLives> popularity = {};
};

/// Meetings so far: what heuristics without learning look at. 16 bytes and a bit a distinct pair,
/// 12 bytes a node and 8 for each half-life.
class InteractionHistory {
 public:
  /// half_lives: in events, of decayed counts of destinations; at most PairFacts::kHalfLives.
  explicit InteractionHistory(const EventView& events, std::span<const double> half_lives = {});

  /// The facts before `event`, of the events that were added.
  PairFacts facts(NodeId source, NodeId candidate, EventId event) const;
  /// Events come in their order.
  void add(EventId event);

  const EventTimes& times() const { return events_.times; }
  const PairTable& pairs() const { return pairs_; }

 private:
  EventView events_;
  PairTable pairs_;
  std::vector<EventId> destination_, activity_;  ///< [nodes]
  std::vector<std::uint32_t> counts_;            ///< [nodes]
  std::vector<DecayedPopularity> popularity_;    ///< by half-life
  EventId moment_ = kNoEvent;                    ///< the first event at the time of the last one
};

}  // namespace frugal::tgn
