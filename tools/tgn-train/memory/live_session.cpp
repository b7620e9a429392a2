#include "tools/tgn-train/memory/live_session.h"

#include <algorithm>
#include <cassert>
#include <numeric>

#include "libcore/base/error.h"

namespace frugal {
namespace {

std::size_t neighbors_kept(const TgnOptions& network) {
  return network.sampling == NeighborSampling::uniform ? LiveNeighbors::kAll : network.neighbors;
}

}  // namespace

LiveSession::LiveSession(TgnModel& model, const SessionOptions& session, const LiveOptions& options)
    : model_(model),
      options_(options),
      in_turn_(session.mode == MemoryMode::window),
      events_(model.inputs().edge_features),
      neighbors_(neighbors_kept(model.options())),
      session_(model, events_.view(0), neighbors_, {}, session) {}

void LiveSession::set_nodes(std::size_t num_nodes) {
  assert(num_nodes >= num_nodes_);
  if (num_nodes > capacity_) {
    // The first number is often known, later ones come one by one.
    capacity_ = capacity_ == 0 ? num_nodes : std::max(num_nodes, capacity_ + capacity_ / 2);
    neighbors_.grow(capacity_);
    stale_ = true;
  }
  num_nodes_ = num_nodes;
}

void LiveSession::make_times_real() {
  events_.make_times_real();
  stale_ = true;
}

void LiveSession::add(NodeId source, NodeId destination, EventTime time,
                      std::span<const float> features) {
  assert(source < num_nodes_ && destination < num_nodes_);
  const EventId event = events_.add(source, destination, time, features);
  if (model_.options().has_neighbors()) neighbors_.add(source, destination, event);
  stale_ = true;
}

/// Arrays may have moved.
void LiveSession::refresh() {
  if (stale_) session_.use(events_.view(capacity_), {events_.features(), node_features_});
  stale_ = false;
}

/// The step of these events; the embeddings are the model's then.
void LiveSession::run(EventId begin, EventId end, StepKind kind) {
  refresh();
  batch_.resize(end - begin);
  std::iota(batch_.begin(), batch_.end(), begin);
  session_.planner().plan(batch_, {}, kind, plan_, in_turn_ ? kNoEvent : told_);
  session_.runner().embed(plan_, {});
  if (kind != StepKind::updates) {
    const std::span<const float> logits = model_.pair_logits(plan_);
    logits_.insert(logits_.end(), logits.begin(), logits.end());
  }
  if (kind != StepKind::queries) session_.runner().store(plan_);
}

void LiveSession::learn() {
  scored_ = events_.size();
  tell();
}

void LiveSession::go_on_from(const Document& state, const std::string& path) {
  assert(told_ == 0 && num_nodes_ == capacity_);
  refresh();
  session_.restart(Weights::fixed);
  session_.load(state, path, events_.size());
  scored_ = told_ = events_.size();
  settle();
}

void LiveSession::tell() {
  if (told_ != scored_) run(told_, scored_, StepKind::updates);
  told_ = scored_;
  settle();
}

/// Where the events end that can be scored before the memory must be told of some.
EventId LiveSession::next_chunk() const {
  if (in_turn_) return events_.size();
  return static_cast<EventId>(std::min<std::size_t>(events_.size(), told_ + options_.batch));
}

std::span<const float> LiveSession::score() {
  logits_.clear();
  while (scored_ < events_.size()) {
    if (!in_turn_ && scored_ - told_ >= options_.batch) tell();
    const EventId begin = scored_, end = next_chunk();
    const bool whole = in_turn_ || (begin == told_ && end - begin == options_.batch);
    run(begin, end, whole ? StepKind::queries_and_updates : StepKind::queries);
    scored_ = end;
    if (whole) {
      told_ = end;
    } else if (end - told_ >= options_.batch) {
      tell();
    }
  }
  if (told_ == scored_) settle();
  return logits_;
}

void LiveSession::settle() {
  if (told_ != events_.size() || told_ == 0) return;
  neighbors_.settle(events_.view(0).times.first_at_time_of(told_ - 1));
  // Looking for them goes over all nodes and events: seldom enough to cost little an event.
  if (events_.size() > 2 * kept_ + capacity_ + options_.slack) drop_unneeded();
}

void LiveSession::drop_unneeded() {
  if (events_.size() == 0) return;
  refresh();
  StepPlanner::Past past = session_.planner().past();
  std::vector<std::uint8_t> keep(events_.size(), 0);
  // Those at the ends say where times begin and where they are.
  keep.front() = keep.back() = 1;
  std::fill(keep.begin() + told_, keep.end(), std::uint8_t{1});
  for (std::size_t v = 0; v < capacity_; ++v) {
    if (past.last[v] != kNoEvent) keep[past.last[v]] = 1;
    if (past.previous[v] != kNoEvent) keep[past.previous[v]] = 1;
    for (const TemporalNeighbor& n : neighbors_.entries(static_cast<NodeId>(v))) keep[n.event] = 1;
  }
  const EventId pending = events_.size() - told_;
  const std::vector<EventId> numbers = events_.drop(keep);
  neighbors_.renumber(numbers);
  for (Array<EventId>* const of_nodes : {&past.last, &past.previous}) {
    for (EventId& event : *of_nodes) {
      if (event != kNoEvent) event = numbers[event];
    }
  }
  session_.planner().set_past(past);
  scored_ = events_.size();
  told_ = scored_ - pending;
  kept_ = events_.size();
  stale_ = true;
  refresh();
}

}  // namespace frugal
