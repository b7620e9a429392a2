#include "tools/tgn-train/labels/tests.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "libcore/base/error.h"
#include "libcore/metrics/classification.h"
#include "libcore/metrics/ranking.h"
#include "libcore/system/limits.h"
#include "libcore/system/signals.h"
#include "tools/tgn-train/memory/waiting_events.h"

namespace frugal::tgn {
namespace {

/// Rows that are scored at a time.
constexpr std::size_t kScored = 1024;

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

/// Writes what the decoder reads beside embeddings, behind these in each row.
class EventFacts {
 public:
  EventFacts(const LinkData& data, const EventLabels& labels, const LabelTask& task)
      : data_(data), labels_(labels), task_(task), history_(task.width()) {
    if (task.reads_history) history_.grow(data.stream().num_nodes());
  }

  /// Events must come in the order of the stream.
  void write(EventId event, const FeatureRows& features, float* to) {
    if (task_.reads_features) {
      features.read(event, to);
      to += features.dim;
    }
    if (!task_.reads_history) return;
    const NodeId source = data_.stream().sources()[event];
    const NodeId destination = data_.stream().destinations()[event];
    history_.go_to(data_.stream().times().between(0, event));
    history_.read(source, destination, to);
    history_.add(source, destination, task_.scaled(labels_.at(event)));
  }

 private:
  const LinkData& data_;
  const EventLabels& labels_;
  const LabelTask& task_;
  LabelHistory history_;
};

}  // namespace

Array<float> label_inputs(StreamSession& session, const LinkData& data, const EventLabels& labels,
                          const LabelTask& task, std::size_t batch,
                          const std::function<void(double share)>& progress) {
  const std::size_t dim = session.model().options().memory_dim, ends = task.of_event ? 2 : 1;
  const std::size_t num_events = data.stream().num_events(), width = task.inputs(session.model());
  check_memory(data.stream().path() + ": what a decoder reads of its events",
               num_events * width * sizeof(float));
  Array<float> rows(num_events * width);
  EventFacts facts(data, labels, task);
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
        float* to = rows.data() + events[i] * width;
        for (std::size_t k = 0; k < ends; ++k) {
          to = std::copy_n(embeddings.row(2 * i + k), dim, to);
        }
        facts.write(events[i], session.runner().features().edges, to);
      }
      session.runner().store(plan);
      at += static_cast<EventId>(events.size());
      if (progress) progress(static_cast<double>(at) / static_cast<double>(num_events));
    }
  }
  return rows;
}

namespace {

/// AUC and average precision of label 1, if there are both labels.
void add_ranking(std::span<const float> scores, std::span<const float> labels,
                 LabelMetrics& metrics) {
  const std::vector<std::uint8_t> ones(labels.begin(), labels.end());
  metrics.auc = frugal::auc(scores, ones);
  metrics.ap = average_precision(scores, ones);
  if (std::isnan(metrics.auc)) return;
  metrics.values.insert(metrics.values.end(),
                        {{"auc", metrics.auc}, {"average_precision", metrics.ap}});
}

LabelMetrics class_metrics(std::span<const float> labels, MatrixView<const float> outputs) {
  Confusion confusion(outputs.cols);
  std::vector<float> differences;
  double loss = 0;
  for (std::size_t r = 0; r < labels.size(); ++r) {
    const std::span<const float> row(outputs.row(r), outputs.cols);
    const auto actual = static_cast<std::uint32_t>(labels[r]);
    const auto best = std::max_element(row.begin(), row.end());
    confusion.add(actual, static_cast<std::uint32_t>(best - row.begin()));
    double sum = 0;
    for (const float x : row) sum += std::exp(static_cast<double>(x) - *best);
    loss += std::log(sum) + *best - row[actual];
    if (row.size() == 2) differences.push_back(row[1] - row[0]);
  }
  LabelMetrics metrics;
  metrics.score = confusion.accuracy();
  metrics.values = {{"accuracy", metrics.score},
                    {"macro_f1", confusion.macro_f1()},
                    {"log_loss", loss / static_cast<double>(labels.size())}};
  if (outputs.cols == 2) add_ranking(differences, labels, metrics);
  return metrics;
}

}  // namespace

std::vector<std::string> label_metric_names() {
  return {"auc", "average_precision", "accuracy", "macro_f1", "log_loss", "r2", "rmse", "mae"};
}

LabelMetrics label_metrics(const LabelTask& task, std::span<const float> labels,
                           MatrixView<const float> outputs) {
  if (task.type == LabelType::classes) return class_metrics(labels, outputs);
  LabelMetrics metrics;
  if (task.type == LabelType::binary) {
    add_ranking({outputs.data, labels.size()}, labels, metrics);
    metrics.score = metrics.auc;
    return metrics;
  }
  ValueMetrics values(task.scale);
  for (std::size_t r = 0; r < labels.size(); ++r) values.add(outputs(r, 0), labels[r]);
  metrics.score = values.r2();
  metrics.values = values.named();
  return metrics;
}

std::pair<std::string, const LabelMetrics*> LabelBaselines::best() const {
  std::pair<std::string, const LabelMetrics*> best{"constant", &constant};
  if (source.score > best.second->score) best = {"source", &source};
  if (destination.score > best.second->score) best = {"destination", &destination};
  return best;
}

LabelBaselines test_label_baselines(const LinkData& data, const EventLabels& labels,
                                    const LabelTask& task) {
  const std::size_t width = task.width();
  std::vector<float> prior(width), tested;
  const std::vector<EventId> training = labels.events(EventPart::train);
  const bool classes = task.type == LabelType::classes;
  for (const EventId e : training) {
    const float label = task.scaled(labels.at(e));
    (classes ? prior[static_cast<std::size_t>(label)] : prior[0]) += classes ? 1 : label;
  }
  for (float& share : prior) share /= static_cast<float>(training.size());
  std::vector<float> outputs[3];
  const auto answer = [&](std::vector<float>& out, const LabelHistory::Tally& tally) {
    for (std::size_t k = 0; k < width; ++k) {
      const float mean = ((tally.sums.empty() ? 0 : tally.sums[k]) + prior[k]) / (tally.count + 1);
      // The logarithm makes logits of the shares of classes; a class without any gets a small one.
      out.push_back(classes ? std::log(std::max(mean, 1e-6F)) : mean);
    }
  };
  LabelHistory history(width);
  history.grow(data.stream().num_nodes());
  for (EventId e = 0; e < data.stream().num_events(); ++e) {
    const NodeId source = data.stream().sources()[e], destination = data.stream().destinations()[e];
    const float label = labels.at(e);
    history.go_to(data.stream().times().between(0, e));
    if (e >= data.split().begin(EventPart::test) && !std::isnan(label)) {
      tested.push_back(label);
      answer(outputs[0], {});
      answer(outputs[1], history.of(source, LabelHistory::as_source));
      answer(outputs[2], history.of(destination, LabelHistory::as_destination));
    }
    history.add(source, destination, task.scaled(label));
  }
  const auto metrics = [&](const std::vector<float>& out) {
    return label_metrics(task, tested, {out.data(), tested.size(), width});
  };
  return {metrics(outputs[0]), metrics(outputs[1]), metrics(outputs[2])};
}

LabelMetrics test_labels(LabelDecoder& decoder, const LabelTask& task, const EventLabels& labels,
                         const std::pair<EventId, EventId>& events, MatrixView<const float> inputs,
                         const std::function<void(EventId, std::span<const float>)>& tested) {
  std::vector<float> known, outputs;
  for (std::size_t begin = events.first; begin < events.second; begin += kScored) {
    const std::size_t n = std::min<std::size_t>(kScored, events.second - begin);
    const MatrixView<const float> rows = decoder.score(inputs.rows_between(begin, begin + n));
    for (std::size_t i = 0; i < n; ++i) {
      const auto event = static_cast<EventId>(begin + i);
      const std::span<const float> row(rows.row(i), rows.cols);
      if (tested) tested(event, row);
      if (std::isnan(labels.at(event))) continue;
      known.push_back(labels.at(event));
      outputs.insert(outputs.end(), row.begin(), row.end());
    }
  }
  return label_metrics(task, known, {outputs.data(), known.size(), decoder.outputs()});
}

std::string labelled_text(LabelType type) {
  constexpr const char* kTexts[] = {"label 1", "a class", "a number"};
  return kTexts[static_cast<std::size_t>(type)];
}

}  // namespace frugal::tgn
