#include <nlohmann/json.hpp>

#include "libcore/base/text.h"
#include "libcore/report/report.h"
#include "libcore/system/output_file.h"
#include "tools/sparse-train/commands/evaluation_files.h"
#include "tools/sparse-train/commands/evaluation_text.h"
#include "tools/sparse-train/commands/tool.h"
#include "tools/sparse-train/data/data_gaps.h"
#include "tools/sparse-train/model/model.h"
#include "tools/sparse-train/model/model_info.h"
#include "tools/sparse-train/settings/feature_fields.h"

namespace frugal::sparse {
namespace {

using nlohmann::ordered_json;

/// Rule that predicts labels for F1, and its name.
struct Predicting {
  EvaluationOptions options;
  std::string by;
};

PropensityConstants propensity_of(const EvalOptions& o) {
  return {o.propensity[0], o.propensity[1]};
}

Predicting choose_predicting(const EvalOptions& o, const Model& model) {
  Predicting predicting;
  predicting.options.propensity = propensity_of(o);
  if (o.threshold >= 0) {
    predicting.options.threshold = o.threshold;
    predicting.by = "threshold";
    return predicting;
  }
  const bool several = model.decisions && !model.decisions->single_label;
  predicting.by = o.thresholds != "auto" ? o.thresholds : several ? "labels" : "first";
  if (predicting.by == "first") return predicting;
  require_decisions(model, o.model);
  predicting.options.threshold = static_cast<double>(model.decisions->global);
  if (predicting.by == "labels")
    predicting.options.label_thresholds = model.decisions->label_thresholds;
  return predicting;
}

Evaluation evaluate_file(const EvalOptions& o, const Model& model, const Predicting& predicting,
                         const std::string& device) {
  Dataset data = model.featurizer.read(o.data);
  if (data.size() == 0) fail(ExitStatus::bad_input, o.data, ": has no examples to evaluate");
  const std::span<const std::uint32_t> labels(std::as_const(data.labels));
  if (std::none_of(labels.begin(), labels.end(), [&](auto l) { return data.is_known(l); })) {
    fail(ExitStatus::bad_input, o.data,
         ": no example has a label that the model knows, expected some to compare with");
  }
  warn_of_gaps(o.data, data, "the model");
  if (model.normalize) normalize_rows(data);
  const ScoringOptions scoring{.top_k = ranks_for(data, predicting.options),
                               .quick = false,
                               .weights = o.weights,
                               .propensity = propensity_of(o),
                               .place = {device, "sparse-train eval"}};
  return evaluate(*make_scorer(model, scoring), data, model.label_counts, predicting.options);
}

void describe_eval(const ResultFields& f, const Evaluation& e, const std::string& by) {
  describe_evaluation(f, e);
  f.add("f1_by", by,
        "how labels were predicted for F1: labels (a threshold each), global (one for all), first "
        "(the first label) or threshold (--threshold)");
}

void describe_answers(const ResultFields& f, const PredictResult& r) {
  f.add("examples", r.examples, "lines answered");
  f.add("seconds", r.seconds, "time of answering, without loading the model");
  describe_unknown_values(f, r.column_values);
}

void describe_info(const ResultFields& f, const ordered_json& model) {
  const auto add = [&](const std::string& name, const std::string& help) {
    f.add(name, model.value(name, ordered_json()), help);
  };
  const auto add_part = [&](const std::string& name, const std::string& when,
                            const std::string& help) {
    f.when(when, model.contains(name), [&](const ResultFields& part) {
      part.add(name, model.value(name, ordered_json()), help);
    });
  };
  add("version", "version of the file's layout");
  add_part("network", "a network",
           "hidden, layers, activation, loss, weights (how they are stored) and parameters");
  add_part("forest", "label trees", "trees, beam, weights and bytes");
  add("examples", "training examples");
  add("labels", "number of labels");
  add("features", "number of features");
  add("normalize", "whether examples are scaled to length 1");
  add_part("decisions", "fitted thresholds",
           "held_out (examples), threshold (one for all labels) and shrinkage (how far the labels' "
           "own thresholds are moved towards it)");
  add("features_made_by", "options that decide how text becomes features");
  add("training", "plan and results of the training");
  add("seed", "random seed of the training");
  add("history", "commands that made the model, a list of objects");
  add("configuration", "configuration of the training, as YAML");
  add("tensors", "name, dtype, shape and bytes of each tensor");
}

ExitStatus run_eval(const EvalOptions& o, Run& run) {
  run.reads(o.model);
  run.reads(o.data);
  Model model = load_model(o.model);
  model.featurizer.set_input(o.reading);
  const Predicting predicting = choose_predicting(o, model);
  const Evaluation e = evaluate_file(o, model, predicting, run.options().device);
  if (!o.confusion.empty() && !e.single_label) {
    fail(ExitStatus::usage, o.data, ": has examples with several labels, --confusion needs one");
  }
  std::vector<std::string> names = model.featurizer.label_names();
  names.insert(names.end(), e.label_names.begin(), e.label_names.end());
  const auto write = [&](const std::string& path, const std::string& text) {
    run.writes(path);
    write_file(path, text);
  };
  if (!o.confusion.empty()) write(o.confusion, confusion_csv(e, names));
  if (!o.per_label.empty()) write(o.per_label, label_csv(e, model.label_counts, names));
  describe_eval(ResultFields(run.result()), e, predicting.by);
  if (!run.options().report.empty()) add_eval_report(e, model.label_counts, names, run.report());
  for (const std::string& line : evaluation_lines(e, predicting.by)) run.say(line);
  return ExitStatus::ok;
}

ExitStatus run_predict(PredictOptions& o, Run& run) {
  run.reads(o.model);
  run.reads(o.data);
  run.writes(o.output);
  o.device = run.options().device;
  const PredictResult result = predict(o);
  describe_answers(ResultFields(run.result()), result);
  return ExitStatus::ok;
}

ExitStatus run_info(const InfoOptions& o, Run& run) {
  run.reads(o.model);
  const ordered_json description = describe_model(o.model);
  describe_info(ResultFields(run.result()), description);
  const std::string text = model_text(description);
  for (const std::string_view line : split(text, '\n')) {
    if (!line.empty()) run.say(std::string(line));
  }
  return ExitStatus::ok;
}

ExitStatus run_export(ExportOptions& o, Run& run) {
  run.reads(o.model);
  run.writes(o.output);
  o.history_entry = run.history_entry();
  export_model(o);
  return ExitStatus::ok;
}

void add_model_option(const OptionFields& f, std::string& model) {
  f.add("model", model, "model file written by train").required().metavar("MODEL");
}

void add_weights_option(const OptionFields& f, std::string& weights) {
  f.add("--weights", weights,
        "rank labels by probability times a weight of the label; scores stay probabilities. "
        "propensity: rare labels weigh more, as in PSP. balanced: by inverse frequency")
      .choices({"none", "propensity", "balanced"});
}

void add_eval_options(const OptionFields& f, EvalOptions& o) {
  add_model_option(f, o.model);
  f.add("data", o.data, "file of labelled examples; - is stdin").required().metavar("DATA");
  describe_input(f, o.reading, false, "format of the data; auto: as the training data");
  describe_reading(f, o.reading);
  f.add("--propensity", o.propensity,
        "parameters A and B of the propensities: 0.5,0.4 for Wikipedia's data sets, 0.6,2.6 for "
        "Amazon's")
      .expected(2)
      .range(0.0, 100.0)
      .metavar("A,B");
  f.add("--threshold", o.threshold,
        "for F1, precision and recall, predict labels with at least this score, among the first "
        "100; below 0: --thresholds decides")
      .range(-1.0, 1.0);
  f.field("--threshold").goes_with("--thresholds auto", [&o] { return o.thresholds == "auto"; });
  f.add("--thresholds", o.thresholds,
        "which labels count as predicted. labels: by each label's threshold from training. global: "
        "by one threshold for all labels. first: only the first label. auto: labels; first if the "
        "model has no thresholds or was trained with one label an example")
      .choices({"auto", "labels", "global", "first"});
  add_weights_option(f, o.weights);
  f.add("--confusion", o.confusion,
        "CSV file to write pairs of true and predicted labels to, with their counts")
      .metavar("FILE");
  f.add("--per-label", o.per_label,
        "CSV file to write the labels to, with precision, recall and F1")
      .metavar("FILE");
}

void add_predict_options(const OptionFields& f, PredictOptions& o) {
  add_model_option(f, o.model);
  f.add("data", o.data, "file of examples; - is stdin").metavar("DATA");
  f.add("--top-k", o.top_k,
        "maximum number of labels to write for a line; with --thresholds the default is 100")
      .range(1, 1000000)
      .shown_default("1");
  f.add("--threshold", o.threshold, "leave out labels with a lower score than this")
      .goes_with("--thresholds none", [&o] { return o.thresholds == "none"; })
      .range(0.0, 1.0);
  f.add("--thresholds", o.thresholds,
        "leave out labels below the thresholds that training fitted, among the first --top-k "
        "labels, or 100. labels: each label's own threshold. global: one threshold for all labels. "
        "none: leave out none")
      .choices({"none", "labels", "global"});
  add_weights_option(f, o.weights);
  f.add("--scores,!--no-scores", o.scores, "write the score after each label");
  f.add("--explain", o.explain,
        "also write, for each label, the features that contribute most to its score");
  f.add("--explain-features", o.explain_features,
        "number of features that --explain writes; 0: all")
      .goes_with("--explain", [&o] { return o.explain; })
      .range(0, 1000000);
  f.add("--answers", o.answers,
        "format of the output. text: labels and scores. json: one JSON object a line")
      .choices({"text", "json"});
  f.add("-o,--output", o.output, "file to write; - is stdout").metavar("FILE");
  describe_input(f, o.input, true,
                 "format of the input. text: one text a line. auto: as the training data");
}

}  // namespace

Command eval_command(EvalOptions& o) {
  Command command;
  command.name = "eval";
  command.summary = "evaluate a model on labelled examples";
  command.description =
      "Ranks all labels for each example and compares them with the true ones. A label that is not "
      "in the model counts as missed in all figures. For an example without labels, P@k and "
      "nDCG@k are 0 and every predicted label is wrong; recall_at_5 leaves it out. Both cases are "
      "counted.\n\n"
      "PSP and PSnDCG give rare labels more weight, by propensities from the label counts of the "
      "training data: 1 / (1 + C (n + B)^-A). A and B (--propensity) are 0.5 and 0.4 for "
      "Wikipedia's data sets, 0.6 and 2.6 for Amazon's, else 0.55 and 1.5.\n\n"
      "F1, precision and recall count predicted labels. A label is predicted if its score reaches "
      "the threshold that training fitted on held-out examples, or --threshold. Without either, "
      "each example's first label is predicted. macro_f1 is the mean over the labels that occur or "
      "are predicted; micro_f1, micro_precision and micro_recall count all labels together, as "
      "scikit-learn does.\n\n"
      "If no example has several labels, log_loss is the mean of -ln p of the true label. p is the "
      "label's share of the scores of all labels, at least 2.2e-16. log_loss is computed for up to "
      "1,000 labels, without examples whose label is not in the model. For two labels, roc_auc is "
      "the area under the ROC curve of the second label, in the order of export --label-names.\n\n"
      "calibration_error is the expected calibration error in 15 bins. It is computed for the "
      "first label's score or, if examples have several labels, for the first five.";
  command.examples = {{"sparse-train eval reviews.model test.csv --json | jq .accuracy",
                       "print the accuracy alone"},
                      {"sparse-train eval tags.model test.txt --propensity 0.6,2.6 --per-label "
                       "labels.csv",
                       "propensities for product data, and a table of all labels"}};
  command.often = {"--format", "--thresholds", "--weights", "--per-label", "--confusion", "--json"};
  command.describe = [&o](const OptionFields& f) { add_eval_options(f, o); };
  command.uses = {.device = true, .engine = "sparse.predict"};
  command.describe_results = [](const ResultFields& f) { describe_eval(f, {}, ""); };
  command.run = [&o](Run& run) { return run_eval(o, run); };
  return command;
}

Command predict_command(PredictOptions& o) {
  Command command;
  command.name = "predict";
  command.summary = "predict the most probable labels of each line";
  command.description =
      "Writes a line for each line of the input: label:score pairs separated by spaces, the most "
      "probable first. Scores are probabilities. A label with blanks, quotes or control characters "
      "is a JSON string, \"New York\":0.9. The input has the format of the training data. Labels "
      "in it are ignored, and CSV and TSV may leave the label column out. A tensor file that "
      "sparse-train convert --model wrote is read, too. If the input is not a file, each line is "
      "answered at once. From 2,000 labels on, a softmax's probabilities are then within 1 % of "
      "their value, because the sum over all labels uses rounded scores. The ranking stays "
      "exact.\n\n"
      "A model whose name ends in .safetensors is not compressed, and can be mapped. A small file, "
      "and single lines, then read only what they use of it. Damaged weights are found where a "
      "line uses them. --device auto is the CPU for such input.\n\n"
      "--explain adds a line for each label: name, score before it becomes a probability, and "
      "contributions of features to this score, separated by tabs. The contributions and the bias "
      "add up to the score. For a network, they hold as long as the same hidden units are active. "
      "For label trees, they are summed from the root to the label and averaged over the trees.";
  command.examples = {
      {"sparse-train predict reviews.model new.csv --top-k 3", "write three labels a line"},
      {"sparse-train predict tags.model new.csv --thresholds labels",
       "write all labels above their thresholds"},
      {"sparse-train predict tags.model new.csv --top-k 5 --weights propensity",
       "rank rare labels higher"},
      {"echo 'a film to forget' | sparse-train predict reviews.model --format text",
       "predict a plain text"},
      {"sparse-train predict reviews.model new.csv --explain --answers json",
       "explain predictions, as JSON Lines"}};
  command.often = {"--output", "--format", "--top-k", "--threshold", "--explain", "--answers"};
  command.describe = [&o](const OptionFields& f) { add_predict_options(f, o); };
  command.uses = {.device = true, .engine = "sparse.predict"};
  command.describe_results = [](const ResultFields& f) { describe_answers(f, {}); };
  command.run = [&o](Run& run) { return run_predict(o, run); };
  return command;
}

Command info_command(InfoOptions& o) {
  Command command;
  command.name = "info";
  command.summary = "describe a model";
  command.description =
      "Prints the parts of a model and their sizes, its labels and features, and how features are "
      "computed. Also prints results of the training and the commands that made the model.";
  command.examples = {{"sparse-train info tags.model", "print a description as text"},
                      {"sparse-train info tags.model --json | jq -r .configuration > again.yaml",
                       "extract the configuration of the training"}};
  command.often = {"--json"};
  command.describe = [&o](const OptionFields& f) { add_model_option(f, o.model); };
  command.describe_results = [](const ResultFields& f) {
    describe_info(f, ordered_json::object());
  };
  command.run = [&o](Run& run) { return run_info(o, run); };
  return command;
}

Command export_command(ExportOptions& o) {
  Command command;
  command.name = "export";
  command.summary = "write a smaller model, or parts of one";
  command.description =
      "--int8 writes a model of about a quarter of the size. Rows of features and labels are "
      "rounded to bytes with one scale for each row. Weights of trees are rounded to bytes with "
      "one scale for each child. eval, predict and the other commands read it.\n\n"
      "--embeddings writes the network's rows of labels or features. FILE.npy is one matrix; "
      "FILE.txt and FILE.tsv have lines of a name and numbers. Another FILE is a tensor file with "
      "weight, names (name_ends gives the end of each) and, for labels, bias.\n\n"
      "--label-names writes one name a line, in the order of the rows. Names with quotes, tabs or "
      "line ends are JSON strings.\n\n"
      "--label-features writes lines of a label, a feature and its weight, separated by tabs, the "
      "largest weights first. Weights of label trees are written as they are. Weights of a network "
      "are computed with all its units active. Features have names if the model was trained with "
      "--keep-names.";
  command.examples = {{"sparse-train export tags.model --int8 -o small.model",
                       "write a model of a quarter of the size"},
                      {"sparse-train export tags.model --embeddings labels -o labels.npy",
                       "write the rows of labels for NumPy"},
                      {"sparse-train export tags.model --label-features 10",
                       "list the ten features with the largest weights for each label"}};
  command.often = {"--int8", "--embeddings", "--label-names", "--label-features"};
  command.describe = [&o](const OptionFields& f) {
    add_model_option(f, o.model);
    f.add("-o,--output", o.output, "file to write; - is stdout").metavar("FILE");
    f.add("--int8", o.int8, "write a model with weights rounded to 8 bits");
    f.add("--embeddings", o.embeddings, "write the rows of labels or features of the network")
        .choices({"labels", "features"});
    f.add("--label-names", o.label_names, "write the names of the labels, one a line");
    f.add("--label-features", o.label_features,
          "write this many features with the largest weights for each label; 0: none")
        .range(0, 1000000)
        .metavar("N");
  };
  command.run = [&o](Run& run) { return run_export(o, run); };
  return command;
}

}  // namespace frugal::sparse
