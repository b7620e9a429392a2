#include <cmath>
#include <cstdlib>
#include <memory>
#include <nlohmann/json.hpp>

#include "libcore/base/log.h"
#include "libcore/base/text.h"
#include "libcore/cli/trainer_run.h"
#include "libcore/metrics/run_log.h"
#include "libcore/report/report.h"
#include "libcore/system/clock.h"
#include "tools/sparse-train/commands/evaluation_text.h"
#include "tools/sparse-train/commands/pace_note.h"
#include "tools/sparse-train/commands/tool.h"
#include "tools/sparse-train/commands/train_report.h"
#include "tools/sparse-train/run/training.h"
#include "tools/sparse-train/search/text_report.h"
#include "tools/sparse-train/settings/train_fields.h"
#include "tools/sparse-train/steps/trainer.h"

namespace frugal::sparse {
namespace {

using nlohmann::ordered_json;

/// What the common options and those of trainers say, in the terms of train().
TrainOptions complete_options(const SparseTrainOptions& o, const Run& run) {
  TrainOptions options = o.train;
  // A variable of the environment speaks for all runs, an option for this one.
  const bool asks_for_precision =
      run.options().precision != "auto" && std::getenv("FRUGAL_PRECISION") == nullptr;
  if (options.settings.architecture == "tree" && asks_for_precision)
    fail(ExitStatus::usage, "--precision goes with networks, not with --architecture tree");
  options.precision = run.precision();
  if (run.ranks().rank() != 0) options.model = "";
  static_cast<TrainerSettings&>(options) = trainer_settings(o.trainer, run);
  return options;
}

/// What a run took beside the training of its model: a search can take longer than that.
std::string other_times(const TrainResult& r) {
  std::string text = r.search ? "searching " + format_seconds(r.search_seconds) + ", " : "";
  text += "reading " + format_seconds(r.read_seconds);
  if (r.calibration) text += ", fitting probabilities " + format_seconds(r.calibration_seconds);
  return text;
}

void add_calibration(const TrainResult& r, ordered_json& json) {
  const CalibrationResult& c = *r.calibration;
  json["calibration"] = {{"examples", c.decisions.examples},
                         {"threshold", c.decisions.global},
                         {"shrinkage", c.decisions.shrinkage},
                         {"micro_f1_before", c.before.micro_f1},
                         {"macro_f1_before", c.before.macro_f1},
                         {"calibration_error_before", c.before.calibration_error},
                         {"micro_f1", c.after.micro_f1},
                         {"macro_f1", c.after.macro_f1},
                         {"calibration_error", c.after.calibration_error}};
}

/// "thresholds of labels, ...: micro F1 80.1 -> 85.7 %, ..., calibration error 9.1 -> 1.2 %"; of
/// one label an example, for which the first is predicted, the last alone.
std::string calibration_text(const CalibrationResult& c) {
  const auto change = [](double before, double after) {
    return format_number(100 * before, 3) + " -> " + format_percent(after);
  };
  const std::string held_out = std::to_string(c.decisions.examples) + " held-out examples: ";
  const std::string error =
      "calibration error " + change(c.before.calibration_error, c.after.calibration_error);
  if (c.decisions.single_label) return "probabilities fitted on " + held_out + error;
  return "thresholds of labels, " + format_number(100 * c.decisions.shrinkage, 3) +
         " % of the way to one for all, fitted on " + held_out + "micro F1 " +
         change(c.before.micro_f1, c.after.micro_f1) + ", macro F1 " +
         change(c.before.macro_f1, c.after.macro_f1) + ", " + error;
}

void add_result(const TrainResult& r, ordered_json& json) {
  json["examples"] = r.facts.examples;
  json["labels"] = r.facts.labels;
  json["features"] = r.facts.features;
  json["architecture"] = r.plan.architecture();
  json["plan"] = plan_text(r.plan);
  json["reasons"] = r.plan.reasons;
  json["cut_short"] = r.cut_short;
  if (r.plan.tree) json["trees"] = r.trees;
  if (r.plan.network) {
    const bool whole = r.epochs_done == std::floor(r.epochs_done);
    json["epochs"] =
        whole ? ordered_json(static_cast<int>(r.epochs_done)) : ordered_json(r.epochs_done);
    json["best_epoch"] = r.best_epoch;
    json["steps"] = r.steps;
    json["resumed_from_step"] = r.resumed_from;
    json["loss"] = r.steps == r.resumed_from ? ordered_json() : ordered_json(r.loss);
    json["active_outputs"] = r.mean_active;
  }
  if (r.search) json["search"] = choice_json(*r.search, true);
  if (!r.search_skipped.empty()) json["search"] = {{"skipped", r.search_skipped}};
  json["search_seconds"] = r.search_seconds;
  json["read_seconds"] = r.read_seconds;
  add_fit_seconds(r, json);
  json["calibration_seconds"] = r.calibration_seconds;
  json["write_seconds"] = r.write_seconds;
  add_metrics(r.output.values, "", json);
  if (r.calibration) add_calibration(r, json);
  if (r.validation) add_evaluation(*r.validation, json, "validation_");
}

TrainObserver make_observer(Run& run, TrainerRun& training) {
  TrainObserver observer;
  const auto pace = std::make_shared<PaceNote>();
  observer.log = &run.log();
  observer.planned = [&run, &training, pace](const Plan& plan, const DataFacts& facts) {
    char text[160];
    std::snprintf(text, sizeof text,
                  "%zu examples, %u features (%.1f an example), %u labels (%.2f an example)",
                  facts.examples, facts.features, facts.features_per_example, facts.labels,
                  facts.labels_per_example);
    run.say(text);
    for (const std::string& reason : plan.reasons) run.say(reason);
    pace->begin(plan.num_passes());
    training.progress().begin({"training", double(plan.num_passes()),
                               !plan.tree     ? "epochs"
                               : plan.network ? "trees and epochs"
                                              : "trees"});
  };
  observer.tried = [&run](const TextTrial& trial) { run.say(trial_text(trial)); };
  observer.progress = [&run, &training, pace](double passes, const std::string& note) {
    training.progress().update(passes, note);
    const std::string text = pace->text(passes, wall_seconds());
    if (!text.empty()) run.say(text);
  };
  observer.validated = [&run](double epochs, const Evaluation& e) {
    run.say("epoch " + format_number(epochs, 3) + ": validation P@1 " +
            format_percent(e.precision[0]));
  };
  return observer;
}

/// "cut short by --time-budget: 1 of 4 trees, 0.35 of 3 epochs"
std::string cut_short_text(const TrainResult& r) {
  std::string text = "cut short by --time-budget:";
  if (r.search_cut_short) {
    const std::size_t tried = r.search ? r.search->trials.size() : 0;
    text += " the search for settings of text (" + std::to_string(tried) + " candidates),";
  }
  if (r.plan.tree) {
    text += " " + std::to_string(r.trees) + " of " + std::to_string(r.plan.forest.trees) + " trees";
  }
  if (r.plan.network) {
    text += std::string(r.plan.tree ? "," : "") + " " + format_number(r.epochs_done, 3) + " of " +
            std::to_string(r.plan.epochs) + " epochs";
  }
  return text;
}

constexpr char kTrainDescription[] =
    "Reads labelled examples, trains a classifier and writes a model with everything that eval "
    "and predict need. Data are fastText text, tables (CSV, TSV, JSON Lines) with columns of text, "
    "categories, numbers and dates, or XMC or svmlight features. Files may be plain, zstd or gzip; "
    "tensor files come from convert.\n\n"
    "The column of the label is found by its name (label, class, target, topic, rating ...), else "
    "by its few values. Columns that number the rows are ignored, and all others are text. "
    "What was assumed is said. A model finds its columns by their names in all later inputs. "
    "frugal-tables(7) says more.\n\n"
    "The classifier is a network with one hidden layer. --architecture tree learns linear label "
    "trees instead. They are the most accurate per second of CPU time for many labels and "
    "weighted words. --architecture hybrid learns both and ranks by the mean of their "
    "probabilities.\n\n"
    "Settings you leave out are chosen from the data and printed with the reason. For text in a "
    "file, from 30 examples on, candidates race on held-out fifths of the training data, or of a "
    "sample of 8 MiB. They differ in words, pairs of words and n-grams of characters, "
    "--min-count, --tree-cost and --tree-prune. Linear classifiers (--architecture tree) race "
    "against a network. Options you give are not searched for. With --no-search, with other "
    "features and with text from a pipe, the sizes of the data decide. One label an example gets "
    "a small linear network, many labels a larger one. With thousands of labels the outputs of a "
    "batch are sampled, and the loss is corrected for it.\n\n"
    "Text must be UTF-8 (--encoding). A column of numbers becomes up to 32 bins with equally "
    "many training examples, and 8 wider ones. NA, null and the like are missing values. "
    "Dates (2024-02-29, 2024-02-29T13:05, Unix times) become weekday, month, year, day and "
    "hour. Data beyond memory go to a temporary file. An epoch reads them in blocks, which are "
    "random samples.\n\n"
    "With --init all parts of a model learn more. Known features and labels keep their places "
    "(features also their weight in tf-idf), and new ones are added. The optimiser of a network "
    "starts afresh. The classifiers of label trees start from their weights and keep them where "
    "the new data do not contradict. A new label joins the most probable leaf for its examples. "
    "It learns little when many come without examples of known labels. New examples move the "
    "model less, the smaller their share of all is. Where held-out ones show that the model has "
    "seen them already, they move it a 125th as far. Labels that the new data lack are forgotten "
    "only as far as training pushes them down. Thresholds stay.\n\n"
    "--weights balanced makes rare labels count as much as frequent ones. Label trees take the "
    "weights of examples as factors of --tree-cost; networks draw examples in proportion. The "
    "search still chooses by P@1.\n\n"
    "With several labels an example, a label needs a threshold on its score. A fifth of the "
    "examples is held out of a second training, or of the search's trial where the trial had "
    "this plan (--calibration). It gives the thresholds with the best F1, for all labels "
    "together and for each one, and makes scores probabilities. eval and predict use them. "
    "Cross-validation on these examples says how far each label's threshold moves towards the "
    "common one. The mean of micro and macro F1 is best there, and micro F1 loses at most 0.3 "
    "points.\n\n"
    "With one label an example, the first is predicted. The scores of label trees are made "
    "shares of an example's labels, which sum to 1; a network gives probabilities by itself. "
    "What few held-out examples say counts little. An example without any known feature has the "
    "shares that the labels have in training. eval and predict compare with thresholds where "
    "--thresholds says so.\n\n"
    "--device cuda trains a network with dense or shared outputs there; trees and hash tables stay "
    "on the CPU. Up to 1,000,000 labels its outputs are dense unless --architecture says shared. "
    "Searches, --find-learning-rate and the second training of --calibration stay on the CPU, "
    "too. --resume goes on with either, where the plan is the same.\n\n"
    "Started in several copies by mpirun or srun, it trains one model on all of them. Each copy, a "
    "rank of MPI, reads the whole data and trains a share. Of label trees it trains some of the "
    "classifiers, and the model equals the one of a single process to the last bit. Of a network "
    "it holds the rows of its labels, dealt in --label-shards parts; the hidden layers are the "
    "same "
    "on all ranks. The model is the same to the last bit for 1, 2, 4, ... ranks at one number of "
    "shards that is a power of two. The first rank gathers all rows for checkpoints, validation "
    "and "
    "the model, fits thresholds alone and writes all files. A signal to one rank stops a network "
    "at the same step everywhere, and label trees when the others have done their shares. "
    "--resume goes on with any number of ranks; for a network it divides the number of shards. "
    "--init, hash tables, --find-learning-rate and the search for settings of text need one "
    "process. "
    "mpirun --bind-to none leaves a rank all processors of its machine.\n\n"
    "The model is the same to the last bit for any number of threads on the same kind of "
    "processor. With --checkpoint, a killed run goes on with --resume to the bits of an "
    "uninterrupted one, with the settings of text that it had found. USR1 asks for a checkpoint "
    "now. TERM and INT ask for a checkpoint and end the run with exit status 75.\n\n"
    "With --json: examples, labels, features, architecture, plan, reasons. cut_short says that "
    "--time-budget left something out. Label trees add trees. A network adds epochs and steps "
    "done, best_epoch (the model's), resumed_from_step, loss and active_outputs. After a search, "
    "search has what was tried "
    "(P@1 of the held-out examples, CPU seconds, given_up) and chosen, or skipped = why not. "
    "Times are search_seconds, read_seconds, fit_seconds, calibration_seconds, write_seconds and "
    "train_seconds (all of it, validation too). Training on a device adds device_busy_seconds: the "
    "part of fit_seconds in which the device computed steps. Several ranks add ranks, and of the "
    "first "
    "sent_bytes, exchange_seconds (in which its training waited) and hidden_exchange_seconds "
    "(beside its training). calibration is there where probabilities and "
    "thresholds were fitted. --validation adds the metrics of eval as validation_p_at_1 and so on.";

ExitStatus run_train(SparseTrainOptions& o, Run& run) {
  const TrainOptions options = complete_options(o, run);
  TrainerRun training(run, options, {options.data, options.validation, options.init},
                      options.model);
  const TrainResult result = train(options, make_observer(run, training));
  add_result(result, run.result());
  if (result.plan.network) {  // for those who read the log alone: hw-probe's cost model
    run.log().step(static_cast<std::int64_t>(result.steps),
                   {{"features_per_example", result.facts.features_per_example},
                    {"hidden", static_cast<double>(result.plan.hidden)}});
  }
  training.finish(result.stopped, result.plan.network ? "at step " + std::to_string(result.steps)
                                                      : "between trees");
  if (!run.options().report.empty()) add_train_report(result, run.log(), run.report());
  for (const std::string& remark : result.output.remarks) run.say(remark);
  for (const std::string& warning : result.output.warnings) log_warning(warning);
  if (result.best_validated_epoch > 0 && result.best_validated_epoch < result.best_epoch) {
    log_info("epoch ", result.best_validated_epoch, " of ", result.best_epoch,
             " validates better than the last, whose model this is: --patience keeps the best");
  }
  if (result.cut_short) run.say(cut_short_text(result));
  if (result.calibration) run.say(calibration_text(*result.calibration));
  run.say("trained in " + format_seconds(result.fit_seconds) + " (" + other_times(result) + ")" +
          device_busy_text(result) +
          (result.steps > result.resumed_from ? ", loss " + format_number(result.loss, 4) : ""));
  return ExitStatus::ok;
}

}  // namespace

Command train_command(SparseTrainOptions& o) {
  Command command;
  command.name = "train";
  command.summary = "train a classifier on text or sparse features";
  command.description = kTrainDescription;
  command.examples = {
      {"sparse-train train reviews.csv -o reviews.model",
       "text in CSV, the label in a column of that name or the first"},
      {"sparse-train train reviews.csv -o reviews.model --no-search",
       "with the settings for text of its size, without trying any"},
      {"sparse-train train posts.csv --label-column topic --text-columns title,body -o posts.model",
       "columns by name"},
      {"sparse-train train cars.csv -o cars.model --columns "
       "'title:text,make:category,price:number,sold:date,tags:label(;)'",
       "columns with types; several labels in a field"},
      {"sparse-train train new.csv -o newer.model --init posts.model",
       "go on with new data and new labels"},
      {"zcat huge.csv.gz | sparse-train train - -o huge.model --max-memory 2G",
       "more data than memory"},
      {"sparse-train train train.txt -o tags.model --validation test.txt --report report.html",
       "many labels, with learning curves"},
      {"sparse-train train train.txt -o tags.model --architecture tree", "label trees"},
      {"mpirun --bind-to none -n 4 sparse-train train train.txt -o tags.model --architecture tree",
       "the same on four machines or processors"},
      {"sparse-train train train.txt -o tags.model --checkpoint tags.ckpt --resume",
       "can be killed"}};
  command.often = {"--validation",  "--format",      "--label-column",  "--architecture",
                   "--word-ngrams", "--epochs",      "--learning-rate", "--init",
                   "--checkpoint",  "--time-budget", "--report",        "--json"};
  command.describe = [&o](const OptionFields& f) { describe_train(f, o.train); };
  command.uses = {.seed = true, .precision = true, .device = true, .engine = "sparse.train"};
  command.joins_ranks = true;
  command.trainer = &o.trainer;
  command.run = [&o](Run& run) { return run_train(o, run); };
  return command;
}

}  // namespace frugal::sparse
