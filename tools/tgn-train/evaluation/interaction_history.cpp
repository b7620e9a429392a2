#include "tools/tgn-train/evaluation/interaction_history.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <limits>
#include <utility>

namespace frugal::tgn {

PairTable::PairTable(std::size_t pairs)
    : slots_(std::bit_ceil(std::max<std::size_t>(16, pairs + pairs / 3 + 1))),
      mask_(slots_.size() - 1) {}

void PairTable::add(NodeId source, NodeId destination, EventId event) {
  Pair* pair = &slots_[slot_of(source, destination)];
  if (pair->count == 0 && (size_ + 1) * 4 > slots_.size() * 3) {
    grow();
    pair = &slots_[slot_of(source, destination)];
  }
  if (pair->count == 0) {
    ++size_;
    pair->source = source;
    pair->destination = destination;
  }
  pair->last = event;
  if (pair->count != std::numeric_limits<std::uint32_t>::max()) ++pair->count;
}

void PairTable::grow() {
  const Array<Pair> old = std::exchange(slots_, Array<Pair>(slots_.size() * 2));
  mask_ = slots_.size() - 1;
  for (const Pair& pair : old) {
    if (pair.count != 0) slots_[slot_of(pair.source, pair.destination)] = pair;
  }
}

InteractionHistory::InteractionHistory(const EventView& events, std::span<const double> half_lives)
    : events_(events),
      destination_(events.num_nodes, kNoEvent),
      activity_(events.num_nodes, kNoEvent),
      counts_(events.num_nodes),
      co_occurrence_(events.num_nodes) {
  assert(half_lives.size() <= PairFacts::kHalfLives);
  for (const double half_life : half_lives) popularity_.emplace_back(half_life, events.num_nodes);
}

PairFacts InteractionHistory::facts_of_pair(NodeId source, NodeId candidate, EventId event) const {
  PairFacts facts;
  if (const PairTable::Pair* link = pairs_.find(source, candidate); link != nullptr) {
    facts.link = link->last;
    facts.link_count = link->count;
  }
  if (const PairTable::Pair* reply = pairs_.find(candidate, source); reply != nullptr) {
    facts.reply = reply->last;
  }
  facts.destination = destination_[candidate];
  facts.activity = activity_[candidate];
  facts.destination_count = counts_[candidate];
  for (std::size_t i = 0; i < popularity_.size(); ++i) {
    facts.popularity[i] = static_cast<float>(popularity_[i].log2_count(candidate, event));
  }
  return facts;
}

void InteractionHistory::facts(NodeId source, std::span<const NodeId> candidates, EventId event,
                               std::vector<PairFacts>& facts) {
  co_occurrence_.score(source, candidates, scores_);
  facts.clear();
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    facts.push_back(facts_of_pair(source, candidates[i], event));
    facts.back().co_occurrence = scores_[i].recent;
  }
}

PairFacts InteractionHistory::facts(NodeId source, NodeId candidate, EventId event) {
  std::vector<PairFacts> one;
  facts(source, {&candidate, 1}, event, one);
  return one.front();
}

void InteractionHistory::add(EventId event) {
  const NodeId source = events_.sources[event], destination = events_.destinations[event];
  if (moment_ == kNoEvent || !events_.at_same_time(moment_, event)) {
    moment_ = events_.times.first_at_time_of(event);
  }
  pairs_.add(source, destination, moment_);
  destination_[destination] = moment_;
  activity_[source] = activity_[destination] = moment_;
  ++counts_[destination];
  for (DecayedPopularity& popularity : popularity_) popularity.add(destination, event);
  co_occurrence_.add(source, destination);
}

}  // namespace frugal::tgn
