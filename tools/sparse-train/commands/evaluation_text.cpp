#include "tools/sparse-train/commands/evaluation_text.h"

#include <nlohmann/json.hpp>

#include "libcore/base/text.h"

namespace frugal::sparse {
namespace {

using nlohmann::ordered_json;

/// "100 examples, 3 without a label, 2 only with labels that the model does not know (3, like
/// 'whale')".
std::string examples_text(const Evaluation& e) {
  std::string text = format_count(e.examples, "example");
  if (e.unlabelled > 0) text += ", " + std::to_string(e.unlabelled) + " without a label";
  if (e.label_names.empty()) return text;
  return text + ", " + std::to_string(e.unknown_examples) +
         " only with labels that the model does not know (" + std::to_string(e.label_names.size()) +
         ", like '" + printable(e.label_names[0], 40) + "')";
}

/// Says what an answer without learning reaches, and whether the model is better.
std::string frequent_labels_text(const Evaluation& e) {
  const std::string better =
      e.precision[0] > e.frequent_precision[0] ? "" : ", not below the model";
  if (e.single_label) {
    return "without learning, the most frequent label: accuracy " +
           format_percent(e.frequent_precision[0]) + better;
  }
  return "without learning, the most frequent labels: P@1 " +
         format_percent(e.frequent_precision[0]) + "  P@5 " +
         format_percent(e.frequent_precision[2]) + "  nDCG@5 " +
         format_percent(e.frequent_ndcg[2]) + better;
}

}  // namespace

std::vector<std::string> evaluation_lines(const Evaluation& e, const std::string& by) {
  std::vector<std::string> lines;
  const auto say = [&](const std::string& line) { lines.push_back(line); };
  say(examples_text(e));
  if (e.single_label) {
    say("accuracy " + format_percent(e.accuracy) +
        (e.log_loss ? "  log-loss " + format_number(*e.log_loss, 4) : "") +
        (e.roc_auc ? "  ROC AUC " + format_number(*e.roc_auc, 4) : ""));
  } else {
    say("P@1 " + format_percent(e.precision[0]) + "  P@3 " + format_percent(e.precision[1]) +
        "  P@5 " + format_percent(e.precision[2]));
    say("nDCG@5 " + format_percent(e.ndcg[2]) + "  PSP@1 " + format_percent(e.psp[0]) + "  PSP@3 " +
        format_percent(e.psp[1]) + "  PSP@5 " + format_percent(e.psp[2]));
  }
  say(frequent_labels_text(e));
  const LabelTally::Counts total = e.tally.total();
  say("micro F1 " + format_percent(e.micro_f1) + "  macro F1 " + format_percent(e.macro_f1) +
      "  precision " + format_percent(total.precision()) + "  recall " +
      format_percent(total.recall()) +
      (by == "labels"   ? "  (labels that reach their thresholds)"
       : by == "global" ? "  (labels that reach the threshold of all)"
       : by == "first"  ? "  (the first label)"
                        : ""));
  say("calibration error " + format_percent(e.calibration_error));
  return lines;
}

void describe_unknown_values(const ResultFields& f, const std::vector<ColumnValues>& columns,
                             const std::string& before) {
  auto unknown = ordered_json::object();
  for (const ColumnValues& c : columns) {
    if (c.values > 0) unknown[c.column] = c.unknown;
  }
  f.when("columns of categories", !unknown.empty(), [&](const ResultFields& categories) {
    categories.add(before + "unknown_values", unknown,
                   "by column, how many values the model does not know");
  });
}

namespace {

void describe_rankings(const ResultFields& f, const Evaluation& e, const std::string& before) {
  constexpr int kAt[] = {1, 3, 5};
  const auto add = [&](const std::string& name, const auto& values, std::size_t first,
                       const std::string& help) {
    for (std::size_t i = first; i < std::size(kAt); ++i) {
      f.add(before + name + std::to_string(kAt[i]), values[i], help);
    }
  };
  add("p_at_", e.precision, 0, "share of the first labels that are right");
  add("ndcg_at_", e.ndcg, 1, "normalized discounted cumulative gain of the first labels");
  add("psp_at_", e.psp, 0, "precision weighted by propensities, relative to the best possible");
  add("psndcg_at_", e.psndcg, 1,
      "the gain weighted by propensities, relative to the best possible");
  f.add(before + "recall_at_5", e.recall_at_5,
        "share of the true labels among the first five, a mean over the examples with labels");
  const std::string frequent =
      ", if the most frequent labels of the training data are every answer";
  f.add(before + "frequent_p_at_1", e.frequent_precision[0], "p_at_1" + frequent);
  f.add(before + "frequent_p_at_5", e.frequent_precision[2], "p_at_5" + frequent);
  f.add(before + "frequent_ndcg_at_5", e.frequent_ndcg[2], "ndcg_at_5" + frequent);
}

}  // namespace

void describe_evaluation(const ResultFields& f, const Evaluation& e, const std::string& before) {
  f.add(before + "examples", e.examples, "examples evaluated");
  f.add(before + "unlabelled_examples", e.unlabelled, "examples without labels");
  f.add(before + "unknown_label_examples", e.unknown_examples,
        "examples whose labels are all unknown to the model");
  f.add(before + "unknown_labels", e.label_names.size(),
        "number of labels that the model does not know");
  describe_unknown_values(f, e.column_values, before);
  describe_rankings(f, e, before);
  f.when("one label an example", e.single_label, [&](const ResultFields& single) {
    single.add(before + "accuracy", e.accuracy, "share of examples whose first label is right");
    single.when("up to 1,000 labels", e.log_loss, [&](const ResultFields& few, double loss) {
      few.add(before + "log_loss", loss, metric_meaning("log_loss"));
    });
    single.when("two labels", e.roc_auc, [&](const ResultFields& two, double auc) {
      two.add(before + "roc_auc", auc, metric_meaning("auc"));
    });
  });
  f.add(before + "micro_f1", e.micro_f1, metric_meaning("micro_f1"));
  f.add(before + "micro_precision", e.tally.total().precision(),
        "share of the predicted labels that are right");
  f.add(before + "micro_recall", e.tally.total().recall(),
        "share of the true labels that are predicted");
  f.add(before + "macro_f1", e.macro_f1,
        "mean of the F1 scores of labels that occur or are predicted");
  f.add(before + "calibration_error", e.calibration_error,
        "expected calibration error, in 15 bins");
  f.add(before + "seconds", e.seconds, "time of the evaluation, without reading");
}

}  // namespace frugal::sparse
