#include "tools/tgn-train/history/pair_history.h"

#include <algorithm>
#include <cmath>

#include "libcore/threading/parallel.h"
#include "tools/tgn-train/history/node_set.h"
#include "tools/tgn-train/history/walk_projections.h"

namespace frugal::tgn {
namespace {

// The features of the rings, in this order.
constexpr const char* kRingFeatures[] = {
    "link_recency",    // when the candidate was last among the source's partners
    "link_place",      // how few partners the source had since
    "link_share",      // how many of the source's partners the candidate is
    "reply_recency",   // the same in the candidate's ring, which may remember what
    "reply_share",     // the source's no longer does
    "recency",         // when the candidate last took part in an event
    "popularity",      // how often it was a destination
    "activity",        // how often it took part in an event
    "source_recency",  //
    "source_activity",
    "common_partners",    // the candidate's partners that are the source's too
    "indirect_partners",  // the candidate's partners that are partners of the source's partners
};
constexpr std::size_t kNumRingFeatures = std::size(kRingFeatures);
// The features of events of the type, which follow these.
constexpr const char* kTypedFeatures[] = {
    "typed_link_recency",  // when the candidate was last among the source's partners of the type
    "typed_link_share",    // how many of the source's partners it is by events of the type
    "typed_recency",       // when the candidate last took part in an event of the type
    "typed_share",         // how many of its last events are of the type
    "typed_popularity",    // popularity, times that share
};
constexpr std::size_t kNumTypedFeatures = std::size(kTypedFeatures);

float log_count(std::uint64_t count) { return log_compressed(static_cast<float>(count)); }

}  // namespace

std::size_t PairHistoryOptions::num_features() const {
  return kNumRingFeatures + (typed ? kNumTypedFeatures : 0) +
         (walks.dim > 0 ? walks.num_features() : 0);
}

PairHistoryOptions pair_options_for(const EventTimes& times, EventId train_end) {
  PairHistoryOptions options;
  options.time_unit = mean_gap(times, 0, train_end);
  options.walks.half_life = options.time_unit * std::max(train_end, EventId{10}) / 10.0;
  return options;
}

PairHistoryOptions walk_options_for(const EventTimes& times, EventId train_end) {
  constexpr double kShare = 0.37;
  PairHistoryOptions options = pair_options_for(times, train_end);
  options.places = 1;
  options.walks.hops = 3;
  const double events = 2.0 * static_cast<double>(times.size());
  options.walks.dim = 10 * std::max<std::size_t>(1, static_cast<std::size_t>(std::log(events)));
  options.walks.half_life = options.time_unit * std::max(train_end, EventId{1}) * kShare;
  return options;
}

/// Facts about a source that are the same for all its candidates.
struct PairHistory::SourceFacts {
  NodeId node = 0;
  float recency = 0, activity = 0;
  NodeSet partners, indirect;  ///< indirect: partners of the partners, except the source
  WalkProjections::Source walks;
};

PairHistory::PairHistory(const PairHistoryOptions& options, const EventTimes& times,
                         std::size_t num_nodes, const NodeKeys& keys,
                         std::span<const std::uint16_t> types)
    : options_(options),
      times_(times),
      types_(types),
      rings_(options.places, num_nodes),
      destination_counts_(num_nodes) {
  if (options.walks.dim > 0) walks_.emplace(options.walks, times, num_nodes, keys);
}

void PairHistory::use(const EventView& events) {
  times_ = events.times;
  types_ = events.types;
  if (walks_) walks_->use(events.times, events.num_nodes, events.keys);
  if (events.num_nodes == destination_counts_.size()) return;
  rings_.grow(events.num_nodes);
  destination_counts_.resize(events.num_nodes);
}

void PairHistory::mark_needed(std::vector<std::uint8_t>& keep) {
  const auto mark = [&](EventId event) { keep[event] = 1; };
  rings_.for_each_event(mark);
  if (walks_) walks_->for_each_event(mark);
}

void PairHistory::renumber(std::span<const EventId> numbers) {
  const auto set = [&](EventId& event) { event = numbers[event]; };
  rings_.for_each_event(set);
  if (walks_) walks_->for_each_event(set);
}

std::size_t PairHistory::dim() const { return options_.num_features(); }

std::vector<std::string> PairHistory::names() const {
  std::vector<std::string> names(std::begin(kRingFeatures), std::end(kRingFeatures));
  if (options_.typed)
    names.insert(names.end(), std::begin(kTypedFeatures), std::end(kTypedFeatures));
  if (walks_) {
    for (const std::string& name : walks_->names()) names.push_back(name);
  }
  return names;
}

void PairHistory::add(NodeId source, NodeId destination, EventId event) {
  rings_.add(source, destination, event);
  if (source != destination) rings_.add(destination, source, event);
  ++destination_counts_[destination];
  if (walks_) walks_->add(source, destination, event);
}

void PairHistory::reset() {
  rings_.reset();
  std::fill(destination_counts_.begin(), destination_counts_.end(), 0);
  if (walks_) walks_->reset();
}

std::vector<PairHistory::Piece> PairHistory::pieces() {
  const auto [partners, counts] = rings_.pieces();
  std::vector<Piece> pieces = {
      {"partners", partners},
      {"events", counts},
      {"destinations", std::as_writable_bytes(std::span(destination_counts_))}};
  if (!walks_) return pieces;
  const auto [rows, updated] = walks_->pieces();
  pieces.push_back({"walks", rows});
  pieces.push_back({"walks_updated", updated});
  return pieces;
}

bool PairHistory::is_whole() const {
  const auto events = static_cast<EventId>(times_.size());
  return rings_.is_within(static_cast<NodeId>(destination_counts_.size()), events) &&
         (!walks_ || walks_->is_within(events));
}

float PairHistory::closeness(EventId moment, EventId event) const {
  const double units = times_.between(moment, event) / options_.time_unit;
  return 1 / (1 + log_compressed(static_cast<float>(units)));
}

void PairHistory::prefetch(NodeId node) const {
  rings_.prefetch(node);
  __builtin_prefetch(destination_counts_.data() + node);
  if (walks_) walks_->prefetch(node);
}

PairHistory::SourceFacts PairHistory::facts_of(NodeId source, EventId event) const {
  SourceFacts facts;
  facts.node = source;
  facts.activity = log_count(rings_.count(source));
  const PartnerRings::Ring ring = rings_.of(source);
  if (ring.size() > 0) facts.recency = closeness(ring[0].event, event);
  facts.partners = NodeSet(ring.size());
  facts.indirect = NodeSet(ring.size() * rings_.places());
  for (std::size_t i = 0; i < ring.size(); ++i) {
    if (!facts.partners.insert(ring[i].node)) continue;
    const PartnerRings::Ring next = rings_.of(ring[i].node);
    for (std::size_t j = 0; j < next.size(); ++j) {
      if (next[j].node != source) facts.indirect.insert(next[j].node);
    }
  }
  if (walks_) facts.walks = walks_->source(source, event);
  return facts;
}

void PairHistory::ring_features(const SourceFacts& source, NodeId candidate, EventId event,
                                float* out) const {
  const auto places = static_cast<float>(rings_.places());
  float link_recency = 0, link_place = 0, links = 0;
  const PartnerRings::Ring ring = rings_.of(source.node), other = rings_.of(candidate);
  for (std::size_t i = 0; i < ring.size(); ++i) {
    const PartnerRings::Partner& partner = ring[i];
    if (partner.node != candidate) continue;
    if (links == 0) {
      link_recency = closeness(partner.event, event);
      link_place = 1 - static_cast<float>(i) / places;
    }
    links += 1;
  }
  float reply_recency = 0, replies = 0;
  std::uint64_t common = 0, indirect = 0;
  for (std::size_t i = 0; i < other.size(); ++i) {
    const PartnerRings::Partner& partner = other[i];
    if (partner.node == source.node) {
      if (replies == 0) reply_recency = closeness(partner.event, event);
      replies += 1;
    }
    common += source.partners.contains(partner.node) ? 1 : 0;
    indirect += source.indirect.contains(partner.node) ? 1 : 0;
  }
  const float values[kNumRingFeatures] = {link_recency,
                                          link_place,
                                          links / places,
                                          reply_recency,
                                          replies / places,
                                          other.size() > 0 ? closeness(other[0].event, event) : 0,
                                          log_count(destination_counts_[candidate]),
                                          log_count(rings_.count(candidate)),
                                          source.recency,
                                          source.activity,
                                          log_count(common),
                                          log_count(indirect)};
  std::copy(std::begin(values), std::end(values), out);
}

void PairHistory::typed_features(NodeId source, NodeId candidate, EventId event, float* out) const {
  const auto places = static_cast<float>(rings_.places());
  const PartnerRings::Ring ring = rings_.of(source), other = rings_.of(candidate);
  const auto is_of_type = [&](const PartnerRings::Partner& partner) {
    return types_[partner.event] == types_[event];
  };
  float link_recency = 0, links = 0, recency = 0, events = 0;
  for (std::size_t i = 0; i < ring.size(); ++i) {
    if (ring[i].node != candidate || !is_of_type(ring[i])) continue;
    if (links == 0) link_recency = closeness(ring[i].event, event);
    links += 1;
  }
  for (std::size_t i = 0; i < other.size(); ++i) {
    if (!is_of_type(other[i])) continue;
    if (events == 0) recency = closeness(other[i].event, event);
    events += 1;
  }
  const float share = events / places;
  const float values[kNumTypedFeatures] = {link_recency, links / places, recency, share,
                                           share * log_count(destination_counts_[candidate])};
  std::copy(std::begin(values), std::end(values), out);
}

void PairHistory::features(NodeId source, std::span<const NodeId> candidates, EventId event,
                           float* out) const {
  constexpr std::size_t kAhead = 4;
  /// Candidates from which on threads pay.
  constexpr std::size_t kMany = 128;
  const SourceFacts facts = facts_of(source, event);
  const std::size_t dim = this->dim();
  const auto fill = [&](std::size_t begin, std::size_t end, int) {
    for (std::size_t i = begin; i < end; ++i) {
      if (i + kAhead < end) prefetch(candidates[i + kAhead]);
      float* to = out + i * dim;
      ring_features(facts, candidates[i], event, to);
      to += kNumRingFeatures;
      if (options_.typed) {
        typed_features(source, candidates[i], event, to);
        to += kNumTypedFeatures;
      }
      if (walks_) walks_->features(facts.walks, candidates[i], event, to);
    }
  };
  if (candidates.size() < kMany) return fill(0, candidates.size(), 0);
  parallel_ranges(candidates.size(), fill);
}

}  // namespace frugal::tgn
