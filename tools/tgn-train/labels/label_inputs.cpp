#include "tools/tgn-train/labels/label_inputs.h"

#include <algorithm>
#include <numeric>

#include "libcore/base/error.h"
#include "libcore/system/limits.h"
#include "libcore/system/signals.h"
#include "tools/tgn-train/memory/waiting_events.h"

namespace frugal::tgn {

LabelInputs::LabelInputs(std::size_t num_events, std::size_t dense, std::size_t dim)
    : dense_(dense), dim_(dim), rows_(num_events * dense) {}

void LabelInputs::add_tallies(std::span<const float> tallies) {
  const auto zeros = std::count(tallies.begin(), tallies.end(), 0.0F);
  const std::size_t stored = values_.size() + tallies.size() - static_cast<std::size_t>(zeros);
  if (stored > values_.capacity()) {
    const std::size_t room = std::max(stored, 2 * values_.size());
    check_memory("what a decoder reads of past labels",
                 room * (sizeof(float) + sizeof(std::uint32_t)));
    columns_.reserve(room);
    values_.reserve(room);
  }
  for (std::size_t column = 0; column < tallies.size(); ++column) {
    if (tallies[column] == 0) continue;
    columns_.push_back(static_cast<std::uint32_t>(column));
    values_.push_back(tallies[column]);
  }
  ends_.push_back(values_.size());
}

void LabelInputs::read(EventId event, float* out) const {
  float* const tallies = std::copy_n(rows_.data() + event * dense_, dense_, out);
  std::fill_n(tallies, dim_ - dense_, 0.0F);
  for (std::uint64_t i = ends_[event]; i < ends_[event + 1]; ++i) tallies[columns_[i]] = values_[i];
}

namespace {

/// The step of events of which all others behind them are asked about later.
void plan_sources(StreamSession& session, WaitingEvents& waiting, std::span<const EventId> events,
                  StepPlan& plan) {
  if (session.options().mode != MemoryMode::window) {
    return session.planner().plan(events, {}, StepKind::queries_and_updates, plan);
  }
  while (waiting.is_backlog(events.front())) {
    session.learn(waiting.take_backlog(events.front()), plan);
  }
  waiting.add(events);
  const EventId behind = events.back() + 1;
  const bool last = behind == session.planner().events().size();
  StepEvents step{events, {}, waiting.take(events.back(), last ? kNoEvent : behind)};
  step.ties = Ties::strict;
  session.planner().plan(step, plan);
}

/// Writes what the decoder reads beside embeddings.
class EventFacts {
 public:
  EventFacts(const LinkData& data, const EventLabels& labels, const LabelTask& task,
             const TimeScale& times)
      : data_(data), labels_(labels), task_(task), history_(task.history(times)) {
    if (!task.reads_history) return;
    history_.grow(data.stream().num_nodes());
    if (task.width() != 1) tallies_.resize(task.tallies());
  }

  /// Events must come in the order of the stream. features_to: behind the embeddings; tallies of
  /// one number follow the features there.
  void write(EventId event, const FeatureRows& features, float* features_to, LabelInputs& inputs) {
    if (task_.reads_features) {
      features.read(event, features_to);
      features_to += features.width();
    }
    if (!task_.reads_history) return inputs.add_tallies({});
    const NodeId source = data_.stream().sources()[event];
    const NodeId destination = data_.stream().destinations()[event];
    history_.go_to(data_.stream().times().between(0, event));
    history_.read(source, destination, tallies_.empty() ? features_to : tallies_.data());
    inputs.add_tallies(tallies_);
    history_.add(source, destination, task_.scaled(labels_.at(event)));
  }

 private:
  const LinkData& data_;
  const EventLabels& labels_;
  const LabelTask& task_;
  LabelHistory history_;
  std::vector<float> tallies_;
};

}  // namespace

LabelInputs label_inputs(StreamSession& session, const LinkData& data, const EventLabels& labels,
                         const LabelTask& task, std::size_t batch,
                         const std::function<void(double share)>& progress) {
  const std::size_t dim = session.model().options().memory_dim, ends = task.of_event ? 2 : 1;
  const std::size_t num_events = data.stream().num_events(), all = task.inputs(session.model());
  const float scale = task.embedding_scale(session.model());
  const std::size_t dense = all - (task.width() == 1 ? 0 : task.tallies());
  check_memory(data.stream().path() + ": what a decoder reads of its events",
               num_events * dense * sizeof(float));
  LabelInputs inputs(num_events, dense, all);
  EventFacts facts(data, labels, task, session.options().time);
  session.restart(Weights::fixed);
  session.planner().use(data.all_neighbors());
  const EventTimes times = data.stream().times();
  WaitingEvents waiting(times, Ties::strict);
  StepPlan plan;
  std::vector<EventId> events;
  for (const EventPart part : kEventParts) {
    const EventId end = data.split().end(part);
    for (EventId at = data.split().begin(part); at < end;) {
      if (stop_requested()) fail(stop_status(false), "stopped at event ", at, "; the work is lost");
      events.resize(std::min<std::size_t>(batch, end - at));
      std::iota(events.begin(), events.end(), at);
      plan_sources(session, waiting, events, plan);
      // Rows alternate between the source and the destination of each event.
      const MatrixView<const float> embeddings = session.runner().embed(plan, {});
      for (std::size_t i = 0; i < events.size(); ++i) {
        float* to = inputs.dense(events[i]).data();
        for (std::size_t k = 0; k < ends; ++k) {
          to = std::transform(embeddings.row(2 * i + k), embeddings.row(2 * i + k) + dim, to,
                              [scale](float x) { return scale * x; });
        }
        facts.write(events[i], session.runner().features().edges, to, inputs);
      }
      session.runner().store(plan);
      at += static_cast<EventId>(events.size());
      if (progress) progress(static_cast<double>(at) / static_cast<double>(num_events));
    }
  }
  return inputs;
}

}  // namespace frugal::tgn
