#include "tools/tgn-train/steps/steps_ahead.h"

#include <utility>

#include "libcore/options/option_fields.h"
#include "libcore/system/clock.h"
#include "libcore/threading/worker_pool.h"

namespace frugal::tgn {

namespace {

OptionFields described(EpochPosition& at) {
  OptionFields f;
  f.add("next_event", at.next);
  f.add("window_event", at.window);
  f.add("in_window", at.in_window).range(EventId{0}, kNoEvent);
  return f;
}

}  // namespace

void EpochPosition::save(Document& state) const {
  EpochPosition at = *this;
  write_metadata(described(at), "train.", state.metadata);
}

EpochPosition EpochPosition::load(const Document& state, const std::string& path) {
  EpochPosition at;
  read_metadata(described(at), "train.", state.metadata, path);
  return at;
}

StepsAhead::StepsAhead(const LinkData& data, StreamSession& session,
                       const TrainingNegatives& negatives, std::uint64_t stream, const Sizes& sizes,
                       const EpochPosition& at)
    : data_(data),
      session_(session),
      negatives_(negatives),
      stream_(stream),
      sizes_(sizes),
      times_(data.stream().times()) {
  steps_[caller_].behind = at;
}

const PlannedStep* StepsAhead::next() {
  const double began = wall_seconds();
  if (!started_) start();
  wait();
  started_ = false;
  if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
  PlannedStep& step = steps_[1 - caller_];
  if (step.events.empty() && step.updates.empty()) return nullptr;
  caller_ = 1 - caller_;
  if (session_.planner().can_take_back()) start();
  waiting_ += wall_seconds() - began;
  return &step;
}

StepsAhead::~StepsAhead() {
  if (!started_) return;
  wait();
  if (!error_) session_.planner().take_back(steps_[1 - caller_].plan);
}

void StepsAhead::rewind() {
  if (!started_) return;
  wait();
  started_ = false;
  if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
  session_.planner().take_back(steps_[1 - caller_].plan);
}

/// Starts planning the step after the caller's. With one thread, wait() plans it.
void StepsAhead::start() {
  ready_ = false;
  started_ = true;
  WorkerPool::shared().post([this] {
    try {
      make(steps_[1 - caller_]);
    } catch (...) {
      error_ = std::current_exception();
    }
    // Notifies under the lock, because the waiting thread may destroy the object right afterwards.
    const std::lock_guard lock(mutex_);
    ready_ = true;
    changed_.notify_one();
  });
}

void StepsAhead::wait() {
  const auto is_ready = [this] {
    const std::lock_guard lock(mutex_);
    return ready_;
  };
  while (!is_ready()) {
    if (WorkerPool::shared().help()) continue;
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return ready_; });
  }
}

void StepsAhead::make(PlannedStep& step) const {
  step.behind = steps_[caller_].behind;
  step.events.clear();
  step.others.clear();
  step.updates.clear();
  const EventId window_begin = step.behind.window;
  if (step.behind.next < sizes_.end) {
    session_.options().mode == MemoryMode::window ? choose_in_turn(step) : choose_of_batches(step);
  }
  if (step.events.empty() && step.updates.empty()) return step.plan.passed.clear();
  for (const EventId event : step.events)
    negatives_.draw(event, stream_, sizes_.negatives, step.others);
  session_.planner().plan({step.events, step.others, step.updates, window_begin, sizes_.ties},
                          step.plan);
  session_.prefetch(step.plan);
}

void StepsAhead::take_batch(PlannedStep& step) const {
  data_.next(EventPart::train, false, sizes_.batch, step.behind.next, step.events);
  step.behind.in_window += step.events.size();
}

/// Chooses the events of a step in window mode. Events from EpochPosition::window on are waiting.
void StepsAhead::choose_in_turn(PlannedStep& step) const {
  EpochPosition& at = step.behind;
  WaitingEvents waiting(times_, sizes_.ties);
  waiting.add(window_events(at));
  const auto take = [&](std::span<const EventId> updates) {
    step.updates.assign(updates.begin(), updates.end());
    at.in_window = waiting.size();
    at.window = waiting.empty() ? at.next : waiting.front();
  };
  const EventId first = first_from(at.next);
  if (waiting.is_backlog(first)) return take(waiting.take_backlog(first));
  take_batch(step);
  if (step.events.empty()) return take(waiting.take_all());
  waiting.add(step.events);
  take(waiting.take(step.events.back(), first_from(at.next)));
}

void StepsAhead::choose_of_batches(PlannedStep& step) const {
  EpochPosition& at = step.behind;
  take_batch(step);
  if (step.events.empty()) return;
  if (at.in_window < sizes_.window && first_from(at.next) != kNoEvent) return;
  step.updates = window_events(at);
  at.window = at.next;
  at.in_window = 0;
}

std::vector<EventId> StepsAhead::window_events(const EpochPosition& at) const {
  std::vector<EventId> events;
  EventId from = at.window;
  data_.next(EventPart::train, false, at.in_window, from, events);
  return events;
}

/// The first training event from `next` on, or kNoEvent.
EventId StepsAhead::first_from(EventId next) const {
  std::vector<EventId> events;
  data_.next(EventPart::train, false, 1, next, events);
  return events.empty() ? kNoEvent : events.front();
}

}  // namespace frugal::tgn
