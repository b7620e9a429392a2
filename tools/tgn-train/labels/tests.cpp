#include "tools/tgn-train/labels/tests.h"

#include <algorithm>
#include <cmath>

#include "libcore/base/text.h"
#include "libcore/metrics/classification.h"
#include "libcore/metrics/ranking.h"

namespace frugal::tgn {
namespace {

/// Rows, and numbers of these, that are scored at a time.
constexpr std::size_t kScored = 1024, kNumbersScored = std::size_t{1} << 22;

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
  if (both.score > best.second->score) best = {"source and destination", &both};
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
  std::vector<float> outputs[3], both;
  const auto answer = [&](std::vector<float>& out, const LabelHistory::Tally& tally) {
    for (std::size_t k = 0; k < width; ++k) {
      const float mean = ((tally.sums.empty() ? 0 : tally.sums[k]) + prior[k]) / (tally.count + 1);
      // The logarithm makes logits of the shares of classes; a class without any gets a small one.
      out.push_back(classes ? std::log(std::max(mean, 1e-6F)) : mean);
    }
  };
  LabelHistory history(task.type, width, {}, false);
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
      both.resize(both.size() + width);
      history.expected(source, destination, both.data() + both.size() - width);
    }
    history.add(source, destination, task.scaled(label));
  }
  const auto metrics = [&](const std::vector<float>& out) {
    return label_metrics(task, tested, {out.data(), tested.size(), width});
  };
  return {metrics(outputs[0]), metrics(outputs[1]), metrics(outputs[2]), metrics(both)};
}

LabelMetrics test_labels(LabelDecoder& decoder, const LabelTask& task, const EventLabels& labels,
                         const std::pair<EventId, EventId>& events, const LabelInputs& inputs,
                         const std::function<void(EventId, std::span<const float>)>& tested) {
  const std::size_t dim = inputs.dim();
  const std::size_t most = std::clamp<std::size_t>(kNumbersScored / dim, 1, kScored);
  std::vector<float> known, outputs,
      read(std::min<std::size_t>(most, events.second - events.first) * dim);
  for (std::size_t begin = events.first; begin < events.second; begin += most) {
    const std::size_t n = std::min<std::size_t>(most, events.second - begin);
    for (std::size_t i = 0; i < n; ++i) {
      inputs.read(static_cast<EventId>(begin + i), read.data() + i * dim);
    }
    const MatrixView<const float> rows = decoder.score({read.data(), n, dim});
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

std::string LabelReads::text() const {
  std::vector<std::string> parts;
  const auto add = [&](std::size_t count, const std::string& thing, const std::string& of) {
    if (count != 0) parts.push_back(format_count(count, thing) + of);
  };
  if (history) parts.emplace_back(ages ? "past labels with their ages" : "past labels");
  add(embeddings, "number", " of embeddings");
  add(node_features, "feature", " of nodes");
  add(event_features, "feature", " of the event");
  return joined(parts);
}

LabelReads label_reads(const LabelTask& task, const TgnModel& model) {
  LabelReads reads{task.reads_history, task.reads_ages, 0, 0, 0};
  (model.options().is_empty ? reads.node_features : reads.embeddings) = task.embedded(model);
  if (task.reads_features) reads.event_features = model.inputs().edge_features;
  return reads;
}

std::string labelled_text(LabelType type) {
  constexpr const char* kTexts[] = {"label 1", "a class", "a number"};
  return kTexts[static_cast<std::size_t>(type)];
}

}  // namespace frugal::tgn
