#include "tools/tgn-train/memory/live_session.h"

#include <algorithm>
#include <cassert>
#include <numeric>

#include "libcore/base/error.h"
#include "tools/tgn-train/memory/waiting_events.h"

namespace frugal::tgn {
namespace {

template <class List>
auto first_from(List& list, EventId limit) {
  return std::partition_point(list.begin(), list.end(),
                              [&](const TemporalNeighbor& n) { return n.event < limit; });
}

}  // namespace

std::span<const TemporalNeighbor> LiveNeighbors::before(NodeId v, std::uint32_t limit) const {
  const std::vector<TemporalNeighbor>& list = entries_[v];
  return {list.data(), static_cast<std::size_t>(first_from(list, limit) - list.begin())};
}

void LiveNeighbors::add(NodeId source, NodeId destination, EventId event) {
  assert(source < entries_.size() && destination < entries_.size());
  entries_[source].push_back({destination, event});
  entries_[destination].push_back({source, event});
  if (count_ == kAll) return;
  touched_.push_back(source);
  touched_.push_back(destination);
}

void LiveNeighbors::settle(EventId present) {
  for (const NodeId v : touched_) settle(entries_[v], present);
  touched_.clear();
}

void LiveNeighbors::settle(std::vector<TemporalNeighbor>& list, EventId present) const {
  if (list.size() <= count_) return;
  const auto now = first_from(list, present);
  const auto too_many = [&](auto begin, auto end) {
    const auto n = static_cast<std::size_t>(end - begin);
    return static_cast<std::ptrdiff_t>(n > count_ ? n - count_ : 0);
  };
  const auto early = too_many(now, list.end());
  list.erase(now, now + early);
  const auto past = first_from(list, present);
  list.erase(list.begin(), list.begin() + too_many(list.begin(), past));
}

void LiveNeighbors::renumber(std::span<const EventId> numbers) {
  for (std::vector<TemporalNeighbor>& list : entries_) {
    for (TemporalNeighbor& entry : list) {
      entry.event = numbers[entry.event];
      assert(entry.event != kNoEvent);
    }
  }
}

namespace {

std::size_t neighbors_kept(const TgnOptions& network) {
  return network.sampling == NeighborSampling::uniform ? LiveNeighbors::kAll : network.neighbors;
}

}  // namespace

LiveSession::LiveSession(TgnModel& model, const SessionOptions& session, const LiveOptions& options)
    : model_(model),
      options_(options),
      in_turn_(session.mode == MemoryMode::window),
      events_(model.inputs().edge_features - model.inputs().types, model.inputs().types),
      neighbors_(neighbors_kept(model.options())),
      session_(model, events_.view(0), neighbors_, {}, session) {}

void LiveSession::set_nodes(std::size_t num_nodes, std::span<const std::uint64_t> keys) {
  assert(num_nodes >= num_nodes_);
  if (num_nodes > capacity_) {
    // The first call often gives the final number. Later nodes come one by one, so the room grows
    // by half.
    capacity_ = capacity_ == 0 ? num_nodes : std::max(num_nodes, capacity_ + capacity_ / 2);
    neighbors_.grow(capacity_);
    keys_.resize(capacity_);
    stale_ = true;
  }
  for (std::size_t v = num_nodes_; v < num_nodes; ++v) keys_[v] = keys.empty() ? v : keys[v];
  num_nodes_ = num_nodes;
}

void LiveSession::make_times_real() {
  events_.make_times_real();
  stale_ = true;
}

void LiveSession::add(NodeId source, NodeId destination, EventTime time,
                      std::span<const float> features, std::uint16_t type) {
  assert(source < num_nodes_ && destination < num_nodes_);
  const EventId event = events_.add(source, destination, time, features, type);
  if (model_.options().reads_neighbors()) neighbors_.add(source, destination, event);
  stale_ = true;
}

EventView LiveSession::view() const {
  EventView view = events_.view(capacity_);
  view.keys.given = keys_;
  return view;
}

/// Gives the session the present arrays, which may have moved.
void LiveSession::refresh() {
  if (stale_) session_.use(view(), {events_.features(), node_features_});
  stale_ = false;
}

void LiveSession::run(const StepEvents& step, bool stores) {
  session_.planner().plan(step, plan_);
  const MatrixView<const float> rows = session_.runner().embed(plan_, {});
  if (!step.queries.empty()) {
    if (embedded_) embedded_(rows);
    const MatrixView<const float> logits = model_.score(plan_, rows);
    logits_.insert(logits_.end(), logits.data, logits.data + logits.rows);
  }
  if (stores) session_.runner().store(plan_);
}

/// Runs a step on events [begin, end) that belong to one batch.
void LiveSession::run(EventId begin, EventId end, StepKind kind) {
  refresh();
  batch_.resize(end - begin);
  std::iota(batch_.begin(), batch_.end(), begin);
  StepEvents step;
  if (kind != StepKind::updates) step.queries = batch_;
  if (kind != StepKind::queries) step.updates = batch_;
  step.window_begin = std::min(begin, told_);
  run(step, kind != StepKind::queries);
}

void LiveSession::learn() {
  scored_ = events_.size();
  tell();
  if (session_.pairs() == nullptr) return;
  // PairStream itself makes events of one time wait.
  refresh();
  for (EventId event = told_; event < scored_; ++event) session_.pairs()->pass(event);
}

void LiveSession::go_on_from(const Document& state, const std::string& path) {
  assert(told_ == 0 && num_nodes_ == capacity_);
  refresh();
  session_.restart(Weights::fixed);
  session_.load(state, path, events_.size());
  scored_ = told_ = events_.size();
  settle();
}

/// First event that `event` does not see. `event` may be the next one, which is not added yet.
EventId LiveSession::known_before(EventId event) const {
  return tgn::known_before(events_.view(0).times, event, options_.ties);
}

void LiveSession::tell() {
  if (in_turn_) {
    if (scored_ != 0)
      tell_in_turn(options_.ties == Ties::order ? scored_ : known_before(scored_ - 1));
  } else {
    if (told_ != scored_) run(told_, scored_, StepKind::updates);
    told_ = scored_;
  }
  settle();
}

/// Applies the waiting events before `end`, in steps without queries of at most kMany events.
void LiveSession::tell_in_turn(EventId end) {
  while (told_ < end) {
    const auto to = static_cast<EventId>(std::min<std::size_t>(end, told_ + WaitingEvents::kMany));
    run(told_, to, StepKind::updates);
    told_ = to;
  }
}

std::span<const float> LiveSession::score() {
  logits_.clear();
  if (scored_ == events_.size()) return logits_;
  in_turn_ ? score_in_turn() : score_batches();
  settle();
  return logits_;
}

/// Scores all new events in one step, which also applies the waiting events.
void LiveSession::score_in_turn() {
  refresh();
  const EventId end = events_.size();
  tell_in_turn(std::min(scored_, known_before(scored_)));
  const EventId known = std::max(told_, options_.ties == Ties::order ? end : known_before(end - 1));
  batch_.resize(end - told_);
  std::iota(batch_.begin(), batch_.end(), told_);
  StepEvents step;
  step.queries = std::span<const EventId>(batch_).last(end - scored_);
  step.updates = std::span<const EventId>(batch_).first(known - told_);
  step.ties = options_.ties;
  run(step, true);
  scored_ = end;
  told_ = known;
}

std::span<const float> LiveSession::ask(NodeId source, std::span<const NodeId> destinations,
                                        EventTime time, std::uint16_t type) {
  constexpr std::size_t kRows = 4096;
  const std::vector<float> no_features(events_.num_features());
  const EventId event = events_.add(source, destinations.front(), time, no_features, type);
  stale_ = true;
  refresh();
  if (in_turn_) tell_in_turn(std::min(scored_, known_before(event)));
  logits_.clear();
  // The first destination is the event's own, as in score(). The others follow in chunks.
  for (std::size_t begin = 1; logits_.empty() || begin < destinations.size(); begin += kRows) {
    const auto others = destinations.subspan(begin, std::min(kRows, destinations.size() - begin));
    StepEvents step{{&event, 1}, others, {}, std::min(event, told_)};
    step.happened = false;
    session_.planner().plan(step, plan_);
    const MatrixView<const float> rows = session_.runner().embed(plan_, {});
    if (embedded_ && begin == 1) embedded_(rows.rows_between(0, 2));
    const MatrixView<const float> scores = model_.score(plan_, rows);
    logits_.insert(logits_.end(), scores.row(0) + (begin == 1 ? 0 : 1),
                   scores.row(0) + scores.cols);
  }
  events_.pop_back();
  stale_ = true;
  return logits_;
}

void LiveSession::score_batches() {
  while (scored_ < events_.size()) {
    if (scored_ - told_ >= options_.batch) tell();
    const EventId begin = scored_;
    const auto end =
        static_cast<EventId>(std::min<std::size_t>(events_.size(), told_ + options_.batch));
    const bool whole = begin == told_ && end - begin == options_.batch;
    run(begin, end, whole ? StepKind::queries_and_updates : StepKind::queries);
    scored_ = end;
    if (whole) {
      told_ = end;
    } else if (end - told_ >= options_.batch) {
      tell();
    }
  }
}

void LiveSession::settle() {
  const EventId end = events_.size();
  if (end == 0 || scored_ != end || (!in_turn_ && told_ != end)) return;
  neighbors_.settle(events_.view(0).times.first_at_time_of(end - 1));
  // Finding them visits all nodes and events, so it is done rarely.
  if (events_.size() > 2 * kept_ + capacity_ + options_.slack) drop_unneeded();
}

void LiveSession::drop_unneeded() {
  if (events_.size() == 0) return;
  refresh();
  StepPlanner::Past past = session_.planner().past();
  std::vector<std::uint8_t> keep(events_.size(), 0);
  // Keeps the first and the last event: they give the origin of time and the present.
  keep.front() = keep.back() = 1;
  std::fill(keep.begin() + told_, keep.end(), std::uint8_t{1});
  for (std::size_t v = 0; v < capacity_; ++v) {
    if (past.last[v] != kNoEvent) keep[past.last[v]] = 1;
    if (past.previous[v] != kNoEvent) keep[past.previous[v]] = 1;
    for (const TemporalNeighbor& n : neighbors_.entries(static_cast<NodeId>(v))) keep[n.event] = 1;
  }
  if (session_.pairs() != nullptr) session_.pairs()->mark_needed(keep);
  const EventId pending = events_.size() - told_;
  const std::vector<EventId> numbers = events_.drop(keep);
  neighbors_.renumber(numbers);
  if (session_.pairs() != nullptr) session_.pairs()->renumber(numbers);
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

}  // namespace frugal::tgn
