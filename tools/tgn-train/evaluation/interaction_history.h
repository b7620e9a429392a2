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
#include "tools/tgn-train/history/co_occurrence.h"

namespace frugal::tgn {

/// Hash table of the pairs of nodes that had events: open addressing with linear probing, 16 bytes
/// in a slot, at most three quarters of the slots in use. A look-up usually costs one cache line.
class PairTable {
 public:
  struct Pair {
    NodeId source = 0, destination = 0;
    EventId last = 0;         ///< the last event that add() gave for the pair
    std::uint32_t count = 0;  ///< number of events; 0: the slot is free
  };

  /// pairs: number of pairs that fit without growing.
  explicit PairTable(std::size_t pairs = 0);

  /// The pair, or null if it had no event.
  const Pair* find(NodeId source, NodeId destination) const {
    const Pair& pair = slots_[slot_of(source, destination)];
    return pair.count == 0 ? nullptr : &pair;
  }
  /// Prefetches the cache line that find() will read.
  void prefetch(NodeId source, NodeId destination) const {
    __builtin_prefetch(slots_.data() + (hash(source, destination) & mask_));
  }
  /// Counts another event of the pair.
  void add(NodeId source, NodeId destination, EventId event);

  std::size_t size() const { return size_; }
  std::size_t num_bytes() const { return slots_.size() * sizeof(Pair); }

 private:
  static std::uint64_t hash(NodeId source, NodeId destination) {
    return mix64(std::uint64_t{source} << 32 | destination);
  }
  /// Slot of the pair, or the free slot where it belongs.
  std::size_t slot_of(NodeId source, NodeId destination) const {
    std::size_t i = hash(source, destination) & mask_;
    while (slots_[i].count != 0 &&
           (slots_[i].source != source || slots_[i].destination != destination)) {
      i = (i + 1) & mask_;
    }
    return i;
  }
  void grow();

  Array<Pair> slots_;  ///< size: a power of two
  std::size_t mask_ = 0, size_ = 0;
};

/// Decayed count of each node's events as a destination: one that was h events ago counts 2^(-h /
/// half_life). After PopTrack (Daniluk, Dabrowski, "Temporal graph models fail to capture global
/// temporal dynamics", 2023), which multiplies all counts by a constant after each batch. Here each
/// node keeps the logarithm of its count as of event 0, which only its own events change.
class DecayedPopularity {
 public:
  DecayedPopularity(double half_life, std::size_t num_nodes)
      : rate_(1 / half_life), log_counts_(num_nodes, kNever) {}

  /// Binary logarithm of the decayed count before `event`; -infinity for a node without events.
  double log2_count(NodeId node, EventId event) const {
    return log_counts_[node] - rate_ * static_cast<double>(event);
  }
  /// Counts `event`, whose destination is `node`. Events must come in order.
  void add(NodeId node, EventId event) {
    const double now = rate_ * static_cast<double>(event);
    log_counts_[node] = now + std::log2(1 + std::exp2(log_counts_[node] - now));
  }

 private:
  static constexpr double kNever = -std::numeric_limits<double>::infinity();

  double rate_;
  std::vector<double> log_counts_;  ///< [nodes]
};

/// Past of a source and a candidate for its next destination. A time is given by the first event at
/// it, so that equal times are equal; kNoEvent: never.
struct PairFacts {
  static constexpr std::size_t kHalfLives = 4;

  EventId link = kNoEvent;         ///< last event from the source to the candidate
  EventId reply = kNoEvent;        ///< last event from the candidate to the source
  EventId destination = kNoEvent;  ///< candidate's last event as a destination
  EventId activity = kNoEvent;     ///< candidate's last event in either role
  std::uint32_t link_count = 0, destination_count = 0;
  /// log2 of the decayed counts, for each of the history's half-lives.
  std::array<float, kHalfLives> popularity = {};
  /// How closely the candidate belongs to the source's last 10 destinations: CoOccurrence.
  float co_occurrence = 0;
};

/// The past events, for the baselines. Takes about 16 bytes for each distinct pair and, for each
/// node, 12 bytes, 8 for each half-life and those of CoOccurrence.
class InteractionHistory {
 public:
  /// half_lives: of decayed counts, in events; at most PairFacts::kHalfLives of them.
  explicit InteractionHistory(const EventView& events, std::span<const double> half_lives = {});

  /// The facts before `event`, from the events added so far.
  PairFacts facts(NodeId source, NodeId candidate, EventId event);
  /// Sets `facts` to those of each candidate.
  void facts(NodeId source, std::span<const NodeId> candidates, EventId event,
             std::vector<PairFacts>& facts);
  /// Adds an event. Events must come in order.
  void add(EventId event);

  const EventTimes& times() const { return events_.times; }
  const PairTable& pairs() const { return pairs_; }

 private:
  PairFacts facts_of_pair(NodeId source, NodeId candidate, EventId event) const;

  EventView events_;
  PairTable pairs_;
  std::vector<EventId> destination_, activity_;  ///< [nodes]
  std::vector<std::uint32_t> counts_;            ///< [nodes]
  std::vector<DecayedPopularity> popularity_;    ///< by half-life
  CoOccurrence co_occurrence_;
  std::vector<CoOccurrenceScore> scores_;  ///< working memory
  EventId moment_ = kNoEvent;              ///< the first event at the time of the last one
};

}  // namespace frugal::tgn
