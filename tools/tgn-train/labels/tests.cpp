#include "tools/tgn-train/labels/tests.h"

#include <algorithm>
#include <numeric>

#include "libcore/base/error.h"
#include "libcore/base/text.h"
#include "libcore/metrics/ranking.h"
#include "libcore/system/signals.h"
#include "tools/tgn-train/memory/waiting_events.h"

namespace frugal::tgn {
namespace {

/// Rows that are scored at a time.
constexpr std::size_t kScored = 1024;
constexpr EventPart kParts[] = {EventPart::train, EventPart::valid, EventPart::test};

std::span<const std::uint8_t> labels_of(const LinkData& data, EventPart part) {
  const EventSplit& split = data.split();
  return data.stream().labels().subspan(split.begin(part), split.end(part) - split.begin(part));
}

}  // namespace

std::uint64_t count_labelled(const LinkData& data, EventPart part) {
  const auto labels = labels_of(data, part);
  return static_cast<std::uint64_t>(std::count(labels.begin(), labels.end(), 1));
}

void check_labels(const LinkData& data) {
  if (data.stream().labels().empty()) {
    fail(ExitStatus::bad_input, data.stream().path(),
         ": events have no labels, or all have 0; import takes them from a column label or "
         "state_label, or --columns NAME:label");
  }
  constexpr const char* kNames[] = {"training", "validation", "the test"};
  for (const EventPart part : kParts) {
    const std::uint64_t events = labels_of(data, part).size();
    const std::uint64_t ones = count_labelled(data, part);
    if (ones != 0 && ones != events) continue;
    fail(ExitStatus::bad_input, data.stream().path(), ": ", ones, " of the ",
         format_count(events, "event"), " of ", kNames[static_cast<std::size_t>(part)],
         " have label 1, expected some with and some without");
  }
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

}  // namespace

Array<float> embed_sources(StreamSession& session, const LinkData& data, std::size_t batch,
                           const std::function<void(double share)>& progress) {
  const std::size_t dim = session.model().options().memory_dim;
  const std::size_t num_events = data.stream().num_events();
  Array<float> rows(num_events * dim);
  session.restart(Weights::fixed);
  session.planner().use(data.all_neighbors());
  const EventTimes times = data.stream().times();
  WaitingEvents waiting(times, Ties::strict);
  StepPlan plan;
  std::vector<EventId> events;
  for (const EventPart part : kParts) {
    const EventId end = data.split().end(part);
    for (EventId at = data.split().begin(part); at < end;) {
      if (stop_requested()) fail(stop_status(false), "stopped at event ", at, "; the work is lost");
      events.resize(std::min<std::size_t>(batch, end - at));
      std::iota(events.begin(), events.end(), at);
      plan_sources(session, waiting, events, plan);
      // Rows alternate between the source and the destination of each event.
      const MatrixView<const float> embeddings = session.runner().embed(plan, {});
      for (std::size_t i = 0; i < events.size(); ++i) {
        std::copy_n(embeddings.row(2 * i), dim, rows.data() + events[i] * dim);
      }
      session.runner().store(plan);
      at += static_cast<EventId>(events.size());
      if (progress) progress(static_cast<double>(at) / static_cast<double>(num_events));
    }
  }
  return rows;
}

LabelMetrics test_labels(LabelDecoder& decoder, const LinkData& data, EventPart part,
                         MatrixView<const float> embeddings,
                         const std::function<void(EventId event, float logit)>& tested) {
  const std::size_t first = data.split().begin(part);
  const auto labels = labels_of(data, part);
  std::vector<float> scores(labels.size());
  for (std::size_t begin = 0; begin < scores.size(); begin += kScored) {
    const std::size_t n = std::min(kScored, scores.size() - begin);
    decoder.score(embeddings.rows_between(first + begin, first + begin + n),
                  std::span(scores).subspan(begin, n));
  }
  for (std::size_t i = 0; tested && i < scores.size(); ++i) {
    tested(static_cast<EventId>(first + i), scores[i]);
  }
  return {frugal::auc(scores, labels), average_precision(scores, labels)};
}

}  // namespace frugal::tgn
