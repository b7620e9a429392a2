#include "tools/sparse-train/commands/evaluation_files.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "libcore/base/text.h"
#include "libcore/report/report.h"

namespace frugal::sparse {
namespace {

constexpr std::size_t kShownPairs = 20;

using Pair = std::pair<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t>;

std::string quoted(const std::string& field) {
  if (field.find_first_of(",\"\r\n") == std::string::npos) return field;
  std::string text = "\"";
  for (const char c : field) text += c == '"' ? std::string("\"\"") : std::string(1, c);
  return text + '"';
}

/// Ties in the order of the labels.
std::vector<Pair> pairs_by_count(const Evaluation& evaluation) {
  std::vector<Pair> pairs(evaluation.confusion.begin(), evaluation.confusion.end());
  std::stable_sort(pairs.begin(), pairs.end(),
                   [](const Pair& a, const Pair& b) { return a.second > b.second; });
  return pairs;
}

Figure rank_figure(const Evaluation& e) {
  Figure figure;
  figure.title = "Figures by rank";
  figure.caption = "Means over all examples; PSP and PSnDCG weigh rare labels up.";
  figure.x_label = "k";
  figure.y_label = "share";
  const std::pair<const char*, const double*> rows[] = {
      {"P@k", e.precision}, {"nDCG@k", e.ndcg}, {"PSP@k", e.psp}, {"PSnDCG@k", e.psndcg}};
  for (const auto& [name, values] : rows) {
    Series series;
    series.name = name;
    series.x = {1, 3, 5};
    series.y.assign(values, values + 3);
    figure.series.push_back(std::move(series));
  }
  return figure;
}

/// Recall of labels, in groups that double in the number of training examples.
Figure frequency_figure(const Evaluation& e, const LabelCounts& training) {
  std::vector<LabelTally::Counts> groups;
  for (std::size_t l = 0; l < training.counts.size(); ++l) {
    const auto group = static_cast<std::size_t>(
        std::log2(static_cast<double>(std::max<std::uint64_t>(1, training.counts[l]))));
    groups.resize(std::max(groups.size(), group + 1));
    groups[group].hits += e.tally.labels()[l].hits;
    groups[group].actual += e.tally.labels()[l].actual;
    groups[group].predicted += e.tally.labels()[l].predicted;
  }
  Figure figure;
  figure.title = "Labels by frequency";
  figure.caption = "Recall and precision of predicted labels with about so many training examples.";
  figure.x_label = "training examples of a label";
  figure.y_label = "share";
  figure.log_x = true;
  Series recall, precision;
  recall.name = "recall";
  precision.name = "precision";
  for (std::size_t g = 0; g < groups.size(); ++g) {
    if (groups[g].actual == 0) continue;
    const double x = 1.5 * std::pow(2.0, static_cast<double>(g));
    recall.x.push_back(x);
    recall.y.push_back(groups[g].recall());
    precision.x.push_back(x);
    precision.y.push_back(groups[g].precision());
  }
  figure.series = {std::move(recall), std::move(precision)};
  return figure;
}

Table confused_table(const Evaluation& evaluation, const std::vector<std::string>& names) {
  Table table;
  table.title = "Confused most";
  table.columns = {"actual", "predicted", "examples"};
  for (const auto& [labels, count] : pairs_by_count(evaluation)) {
    if (labels.first == labels.second) continue;
    if (table.rows.size() == kShownPairs) break;
    table.rows.push_back({names[labels.first], names[labels.second], std::to_string(count)});
  }
  return table;
}

}  // namespace

std::string confusion_csv(const Evaluation& evaluation, const std::vector<std::string>& names) {
  std::string text = "actual,predicted,count\n";
  for (const auto& [labels, count] : pairs_by_count(evaluation)) {
    text += quoted(names[labels.first]) + ',' + quoted(names[labels.second]) + ',' +
            std::to_string(count) + '\n';
  }
  return text;
}

std::string label_csv(const Evaluation& evaluation, const LabelCounts& training,
                      const std::vector<std::string>& names) {
  std::string text = "label,training_examples,actual,predicted,hits,precision,recall,f1\n";
  const std::vector<LabelTally::Counts>& labels = evaluation.tally.labels();
  for (std::size_t l = 0; l < labels.size(); ++l) {
    const LabelTally::Counts& c = labels[l];
    const std::uint64_t trained = l < training.counts.size() ? training.counts[l] : 0;
    text += quoted(names[l]);
    for (const std::uint64_t n : {trained, c.actual, c.predicted, c.hits}) {
      text += ',' + std::to_string(n);
    }
    for (const double share : {c.precision(), c.recall(), c.f1()}) {
      text += ',' + format_number(share, 6);
    }
    text += '\n';
  }
  return text;
}

void add_eval_report(const Evaluation& evaluation, const LabelCounts& training,
                     const std::vector<std::string>& names, Report& report) {
  const Evaluation& e = evaluation;
  std::vector<std::pair<std::string, std::string>> key = {
      {"examples", std::to_string(e.examples)},
      {e.single_label ? "accuracy" : "P@1", format_percent(e.precision[0])}};
  // With one label for each example, P@5 is at most one fifth, so it says nothing.
  if (!e.single_label) key.emplace_back("P@5", format_percent(e.precision[2]));
  if (e.log_loss) key.emplace_back("log-loss", format_number(*e.log_loss, 4));
  if (e.roc_auc) key.emplace_back("ROC AUC", format_number(*e.roc_auc, 4));
  key.emplace_back("micro F1", format_percent(e.micro_f1));
  key.emplace_back("macro F1", format_percent(e.macro_f1));
  report.add_key_figures(key);
  report.summary().baseline = frequent_label_text(e);
  if (!e.single_label) report.add_figure(rank_figure(e));
  report.add_figure(frequency_figure(e, training));
  if (!e.confusion.empty()) report.add_table(confused_table(e, names));
}

}  // namespace frugal::sparse
