#include "tools/sparse-train/commands/evaluation_text.h"

#include <nlohmann/json.hpp>

#include "libcore/base/text.h"

namespace frugal::sparse {
namespace {

using nlohmann::ordered_json;

/// "100 examples, 3 without a label, 2 with labels that the model does not know ('whale', ...)".
std::string examples_text(const Evaluation& e) {
  std::string text = format_count(e.examples, "example");
  if (e.unlabelled > 0) text += ", " + std::to_string(e.unlabelled) + " without a label";
  if (e.label_names.empty()) return text;
  return text + ", " + std::to_string(e.unknown_examples) +
         " with labels that the model does not know (" + std::to_string(e.label_names.size()) +
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

void add_unknown_values(const std::vector<ColumnValues>& columns, ordered_json& json,
                        const std::string& before) {
  for (const ColumnValues& c : columns) {
    if (c.values > 0) json[before + "unknown_values"][c.column] = c.unknown;
  }
}

void add_evaluation(const Evaluation& e, ordered_json& json, const std::string& before) {
  json[before + "examples"] = e.examples;
  json[before + "unlabelled_examples"] = e.unlabelled;
  json[before + "unknown_label_examples"] = e.unknown_examples;
  json[before + "unknown_labels"] = e.label_names.size();
  add_unknown_values(e.column_values, json, before);
  json[before + "p_at_1"] = e.precision[0];
  json[before + "p_at_3"] = e.precision[1];
  json[before + "p_at_5"] = e.precision[2];
  json[before + "ndcg_at_3"] = e.ndcg[1];
  json[before + "ndcg_at_5"] = e.ndcg[2];
  json[before + "psp_at_1"] = e.psp[0];
  json[before + "psp_at_3"] = e.psp[1];
  json[before + "psp_at_5"] = e.psp[2];
  json[before + "psndcg_at_3"] = e.psndcg[1];
  json[before + "psndcg_at_5"] = e.psndcg[2];
  json[before + "recall_at_5"] = e.recall_at_5;
  json[before + "frequent_p_at_1"] = e.frequent_precision[0];
  json[before + "frequent_p_at_5"] = e.frequent_precision[2];
  json[before + "frequent_ndcg_at_5"] = e.frequent_ndcg[2];
  if (e.single_label) json[before + "accuracy"] = e.accuracy;
  if (e.log_loss) json[before + "log_loss"] = *e.log_loss;
  if (e.roc_auc) json[before + "roc_auc"] = *e.roc_auc;
  json[before + "micro_f1"] = e.micro_f1;
  json[before + "micro_precision"] = e.tally.total().precision();
  json[before + "micro_recall"] = e.tally.total().recall();
  json[before + "macro_f1"] = e.macro_f1;
  json[before + "calibration_error"] = e.calibration_error;
  json[before + "seconds"] = e.seconds;
}

}  // namespace frugal::sparse
