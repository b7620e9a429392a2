#include "tools/sparse-train/options.h"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "libcore/base/text.h"
#include "libcore/metrics/report.h"
#include "libcore/metrics/run_log.h"
#include "libcore/system/clock.h"
#include "libcore/system/signals.h"
#include "tools/sparse-train/network/trainer.h"
#include "tools/sparse-train/options_training.h"
#include "tools/sparse-train/train_report.h"

namespace frugal {
namespace {

using nlohmann::ordered_json;

std::string points(double share) {
  char text[16];
  std::snprintf(text, sizeof text, "%.2f %%", 100 * share);
  return text;
}

Precision precision_of(const CommonOptions& options) {
  return options.precision == "bf16"  ? Precision::bf16
         : options.precision == "f32" ? Precision::f32
                                      : Precision::automatic;
}

/// The configuration without the number of threads, which changes no bit of the model.
std::string config_of_result(const Run& run) {
  std::string text;
  for (const std::string_view line : split(run.config(), '\n')) {
    if (!line.empty() && !line.starts_with("threads:")) (text += line) += '\n';
  }
  return text;
}

/// What the common options and those of trainers say, in the terms of train().
TrainOptions complete_options(const SparseTrainOptions& o, const Run& run) {
  TrainOptions options = o.train;
  options.if_changed = run.options().if_changed;
  options.seed = run.options().seed;
  options.precision = precision_of(run.options());
  options.checkpoint = o.trainer.checkpoint;
  options.checkpoint_seconds = parse_seconds(o.trainer.checkpoint_every).value_or(300);
  options.resume = o.trainer.resume;
  options.time_budget = parse_seconds(o.trainer.time_budget).value_or(0);
  options.config = config_of_result(run);
  options.history_entry = run.history_entry();
  if (options.resume && options.checkpoint.empty()) {
    fail(ExitStatus::usage, "--resume needs --checkpoint FILE");
  }
  return options;
}

void add_evaluation(const Evaluation& e, ordered_json& json) {
  json["examples"] = e.examples;
  json["p_at_1"] = e.precision[0];
  json["p_at_3"] = e.precision[1];
  json["p_at_5"] = e.precision[2];
  json["ndcg_at_3"] = e.ndcg[1];
  json["ndcg_at_5"] = e.ndcg[2];
  json["psp_at_1"] = e.psp[0];
  json["psp_at_3"] = e.psp[1];
  json["psp_at_5"] = e.psp[2];
  json["recall_at_5"] = e.recall_at_5;
  if (e.single_label) json["accuracy"] = e.accuracy;
  if (e.single_label) json["macro_f1"] = e.macro_f1;
  json["seconds"] = e.seconds;
}

void add_result(const TrainResult& r, ordered_json& json) {
  json["examples"] = r.facts.examples;
  json["labels"] = r.facts.labels;
  json["features"] = r.facts.features;
  json["output"] = r.plan.output_name();
  json["plan"] = plan_text(r.plan);
  json["reasons"] = r.plan.reasons;
  json["epochs"] = r.plan.epochs;
  json["steps"] = r.steps;
  json["resumed_from_step"] = r.resumed_from;
  json["loss"] = r.loss;
  json["active_outputs"] = r.mean_active;
  json["read_seconds"] = r.read_seconds;
  json["fit_seconds"] = r.fit_seconds;
  json["write_seconds"] = r.write_seconds;
  for (const auto& [name, value] : r.output.values) json[name] = value;
  if (r.validation) add_evaluation(*r.validation, json["validation"]);
}

TrainObserver make_observer(Run& run, std::unique_ptr<Progress>& progress) {
  TrainObserver observer;
  observer.log = &run.log();
  observer.planned = [&run, &progress](const Plan& plan, const DataFacts& facts) {
    char text[160];
    std::snprintf(text, sizeof text,
                  "%zu examples, %u features (%.1f an example), %u labels (%.2f an example)",
                  facts.examples, facts.features, facts.features_per_example, facts.labels,
                  facts.labels_per_example);
    run.say(text);
    for (const std::string& reason : plan.reasons) run.say(reason);
    progress = run.progress("training", plan.num_passes(),
                            !plan.tree     ? "epochs"
                            : plan.network ? "trees and epochs"
                                           : "trees");
  };
  observer.progress = [&progress](double epochs, const std::string& note) {
    progress->update(epochs, note);
  };
  observer.validated = [&run](int epoch, const Evaluation& e) {
    run.say("epoch " + std::to_string(epoch) + ": validation P@1 " + points(e.precision[0]));
  };
  return observer;
}

ExitStatus run_train(SparseTrainOptions& o, Run& run) {
  const double began = wall_seconds();
  const TrainOptions options = complete_options(o, run);
  handle_signals();
  run.reads(options.data);
  if (!options.validation.empty()) run.reads(options.validation);
  run.writes(options.model);
  std::unique_ptr<Progress> progress;
  const TrainResult result = train(options, make_observer(run, progress));
  if (progress) progress->finish();
  add_result(result, run.result());
  run.result()["train_seconds"] = wall_seconds() - began;
  if (result.stopped) {
    fail(ExitStatus::stopped, result.plan.network ? "stopped at step " + std::to_string(result.steps)
                                             : std::string("stopped between trees"),
         options.checkpoint.empty()
             ? "; without --checkpoint the work is lost"
             : "; go on with --resume and --checkpoint " + options.checkpoint);
  }
  if (!run.options().report.empty()) add_train_report(result, run.log(), run.report());
  for (const std::string& remark : result.output.remarks) run.say(remark);
  run.say("trained in " + format_seconds(result.fit_seconds) + " (reading " +
          format_seconds(result.read_seconds) + ")" +
          (result.plan.network ? ", loss " + format_number(result.loss, 4) : ""));
  return ExitStatus::ok;
}

ExitStatus run_eval(const EvalOptions& o, Run& run) {
  run.reads(o.model);
  run.reads(o.data);
  Model model = load_model(o.model);
  if (o.format != "auto") model.featurizer.set_format(o.format);
  Dataset data = model.featurizer.read(o.data);
  if (data.size() == 0) fail(ExitStatus::bad_input, o.data, ": has no examples to evaluate");
  if (model.normalize) normalize_rows(data);
  const Evaluation e =
      evaluate(*make_scorer(model, {.top_k = kEvaluatedRanks}), data, model.label_counts);
  add_evaluation(e, run.result());
  run.say(std::to_string(e.examples) + " examples");
  run.say("P@1 " + points(e.precision[0]) + "  P@3 " + points(e.precision[1]) + "  P@5 " +
          points(e.precision[2]));
  if (!e.single_label) {
    run.say("nDCG@5 " + points(e.ndcg[2]) + "  PSP@1 " + points(e.psp[0]) + "  PSP@3 " +
            points(e.psp[1]) + "  PSP@5 " + points(e.psp[2]));
  }
  return ExitStatus::ok;
}

ExitStatus run_predict(const PredictOptions& o, Run& run) {
  run.reads(o.model);
  run.reads(o.data);
  run.writes(o.output);
  const PredictResult result = predict(o);
  run.result()["examples"] = result.examples;
  run.result()["seconds"] = result.seconds;
  return ExitStatus::ok;
}

Command train_command(SparseTrainOptions& o) {
  Command command;
  command.name = "train";
  command.summary = "train a classifier on text or sparse features";
  command.description =
      "Reads labelled examples (fastText text, CSV or TSV with named columns, XMC or svmlight "
      "features; plain "
      "or zstd), trains a network with one hidden layer, and writes a model that holds everything "
      "that eval "
      "and predict need. --output tree learns linear label trees instead, the most accurate per "
      "second of CPU time where features are weighted words and labels are many; --output hybrid "
      "learns both and ranks by the mean of their probabilities.\n\n"
      "What is not said is chosen by the data, and the choice is printed with its reason: one "
      "label an "
      "example gets a small linear network, many labels a larger one; with thousands of labels the "
      "outputs "
      "of a batch are sampled, and the loss is corrected for that.\n\n"
      "The model is the same to the last bit for any number of threads on the same kind of "
      "processor; "
      "--deterministic is therefore always in force. With --checkpoint, a killed run goes on with "
      "--resume to "
      "the bits of an uninterrupted one. USR1 asks for a checkpoint now; TERM and INT for a "
      "checkpoint and "
      "the end of the run with exit status 75.\n\n"
      "With --json: examples, labels, features, output, plan, reasons, epochs, steps, loss, "
      "read_seconds, "
      "fit_seconds, write_seconds, train_seconds (all of it), and validation.";
  command.examples = {
      {"sparse-train train reviews.csv -o reviews.model",
       "text in CSV, the label in the first column"},
      {"sparse-train train posts.csv --label-column topic --text-columns title,body -o posts.model",
       "columns by name"},
      {"sparse-train train train.txt -o tags.model --validation test.txt --report report.html",
       "many labels, with learning curves"},
      {"sparse-train train train.txt -o tags.model --output tree", "label trees"},
      {"sparse-train train train.txt -o tags.model --checkpoint tags.ckpt --resume",
       "can be killed"}};
  command.add_options = [&o](CLI::App& app) {
    app.add_option("data", o.train.data, "labelled examples; - is stdin")
        ->required()
        ->type_name("DATA");
    app.add_option("-o,--model", o.train.model, "file for the model")
        ->required()
        ->type_name("FILE");
    app.add_option("--validation", o.train.validation,
                   "labelled examples to evaluate after each epoch")
        ->type_name("FILE");
    add_feature_options(app, o.train.features);
    add_network_options(app, o.train);
  };
  command.trainer = &o.trainer;
  command.run = [&o](Run& run) { return run_train(o, run); };
  return command;
}

Command eval_command(SparseTrainOptions& o) {
  Command command;
  command.name = "eval";
  command.summary = "measure a model on labelled examples";
  command.description =
      "Predicts all labels of each example exactly and compares with the true ones. An example "
      "whose labels "
      "the model has never seen counts as missed.\n\n"
      "With --json: examples, p_at_1, p_at_3, p_at_5, ndcg_at_3, ndcg_at_5, psp_at_1, psp_at_3, "
      "psp_at_5 "
      "(propensities by the label counts of the training data, A 0.55, B 1.5), recall_at_5, "
      "seconds (without "
      "reading), and where no example has more than one label: accuracy, macro_f1.";
  command.examples = {
      {"sparse-train eval reviews.model test.csv --json | jq .accuracy", "one number"}};
  command.add_options = [&o](CLI::App& app) {
    app.add_option("model", o.eval.model, "model file")->required()->type_name("MODEL");
    app.add_option("data", o.eval.data, "labelled examples; - is stdin")
        ->required()
        ->type_name("DATA");
    add_format_option(app, o.eval.format, {}, "form of the data; auto = as the training data");
  };
  command.run = [&o](Run& run) { return run_eval(o.eval, run); };
  return command;
}

Command predict_command(SparseTrainOptions& o) {
  Command command;
  command.name = "predict";
  command.summary = "give the most probable labels of each line";
  command.description =
      "Writes one line of label:score for each line of the input, best first, space-separated; "
      "scores are "
      "probabilities. The input looks like the training data; labels in it are ignored, and CSV "
      "and TSV may "
      "leave the label column out. An input that is not a file is answered line by line.";
  command.examples = {
      {"sparse-train predict reviews.model new.csv --top-k 3", "three labels a line"},
      {"echo 'a film to forget' | sparse-train predict reviews.model --format text", "plain text"}};
  command.add_options = [&o](CLI::App& app) {
    app.add_option("model", o.predict.model, "model file")->required()->type_name("MODEL");
    app.add_option("data", o.predict.data, "examples; - is stdin")->type_name("DATA");
    app.add_option("--top-k", o.predict.top_k, "labels a line")->check(CLI::Range(1, 1000000));
    app.add_option("-o,--output", o.predict.output, "file to write; - is stdout")
        ->type_name("FILE");
    add_format_option(app, o.predict.format, {"text"},
                      "form of the input; text = one text a line; auto = as the training data");
  };
  command.run = [&o](Run& run) { return run_predict(o.predict, run); };
  return command;
}

}  // namespace

/// Defaults that make the text sets best, measured in tests/bench: n-grams of one example only cost
/// time.
SparseTrainOptions::SparseTrainOptions() {
  train.features.weighting = "auto";
  train.features.min_count = 2;
}

Tool sparse_train_tool(SparseTrainOptions& options) {
  Tool tool;
  tool.name = "sparse-train";
  tool.summary = "train text and multi-label classifiers on CPUs";
  tool.description =
      "Classifies text and sparse feature vectors into a few or very many labels with one hidden "
      "layer. Made "
      "for CPUs: reads text once with all cores, updates only the rows of its tables that an "
      "example touches, "
      "and computes only some of the outputs where there are many.";
  tool.commands = {train_command(options), eval_command(options), predict_command(options)};
  tool.see_also = {"tensor-file(1)", "tensor-file(5)"};
  return tool;
}

}  // namespace frugal
