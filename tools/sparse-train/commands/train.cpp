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
#include "tools/sparse-train/fit/plan_text.h"
#include "tools/sparse-train/run/training.h"
#include "tools/sparse-train/search/text_report.h"
#include "tools/sparse-train/settings/train_fields.h"
#include "tools/sparse-train/steps/trainer.h"

namespace frugal::sparse {
namespace {

using nlohmann::ordered_json;

/// Converts the common options and those of trainers to the options of train().
TrainOptions complete_options(const SparseTrainOptions& o, const Run& run) {
  TrainOptions options = o.train;
  // An environment variable applies to all runs, so only the option counts as a request for this
  // one.
  const bool asks_for_precision =
      run.options().precision != "auto" && std::getenv("FRUGAL_PRECISION") == nullptr;
  if (options.settings.architecture == "tree" && asks_for_precision)
    fail(ExitStatus::usage, "--precision goes with networks, not with --architecture tree");
  options.precision = run.precision();
  if (run.ranks().rank() != 0) options.model = "";
  static_cast<TrainerSettings&>(options) = trainer_settings(o.trainer, run);
  return options;
}

/// Text with the times of a run other than the training of its model. A search can take longer than
/// that.
std::string other_times(const TrainResult& r) {
  std::string text = r.search ? "searching " + format_seconds(r.search_seconds) + ", " : "";
  text += "reading " + format_seconds(r.read_seconds);
  if (r.calibration) text += ", fitting probabilities " + format_seconds(r.calibration_seconds);
  return text;
}

ordered_json calibration_json(const CalibrationResult& c) {
  return {{"examples", c.decisions.examples},
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

void describe_network_run(const ResultFields& f, const TrainResult& r) {
  const bool whole = r.epochs_done == std::floor(r.epochs_done);
  f.add("epochs",
        whole ? ordered_json(static_cast<int>(r.epochs_done)) : ordered_json(r.epochs_done),
        "epochs trained; a fraction if the last one is not complete");
  f.add("best_epoch", r.best_epoch, "epoch whose parameters are in the model");
  f.add("steps", r.steps, "optimiser steps, including those before --resume");
  f.add("resumed_from_step", r.resumed_from,
        "step at which the checkpoint was written that the run resumed from; 0 = the run did not "
        "resume");
  f.add("loss", r.steps == r.resumed_from ? ordered_json() : ordered_json(r.loss),
        "mean training loss of the last epoch");
  f.add("active_outputs", r.mean_active, "mean number of outputs computed for a mini-batch");
}

void describe_search(const ResultFields& f, const TrainResult& r) {
  const bool skipped = !r.search && !r.search_skipped.empty();
  f.when("text or a table", r.search || skipped, [&](const ResultFields& text) {
    text.add("search",
             r.search ? choice_json(*r.search, true) : ordered_json{{"skipped", r.search_skipped}},
             "examples, sampled (whether they are a sample), tried (a list: settings, held_out "
             "examples, p_at_1 on them, cpu_seconds, and given_up if the trial was ended early) "
             "and chosen (settings); or skipped, the reason why there was no search");
  });
  f.add("search_seconds", r.search_seconds, "time of the search for settings");
}

void describe_lookups(const ResultFields& f, const NamedValues& figures) {
  const std::pair<const char*, const char*> meanings[] = {
      {"lsh_recall",
       "share of the labels with the highest scores for an example that the lookup finds"},
      {"lsh_chance", "lsh_recall that as many labels drawn at random would have"},
      {"lsh_retrieved", "mean number of labels looked up for an example"},
      {"lsh_rebuilds", "number of times that signatures or tables were rebuilt"},
      {"lsh_rebuild_seconds", "time of rebuilding them"},
      {"lsh_active_fraction", "mean share of the labels that are computed for an example"},
      {"lsh_recent_active_fraction", "lsh_active_fraction since the last rebuild"},
  };
  for (const auto& meaning : meanings) {
    const auto found = std::find_if(figures.begin(), figures.end(), [&](const auto& figure) {
      return figure.first == meaning.first;
    });
    f.when("outputs found by hashing", found != figures.end(), [&](const ResultFields& hashed) {
      hashed.add(meaning.first, found == figures.end() ? 0 : found->second, meaning.second);
    });
  }
}

void describe_result(const ResultFields& f, const TrainResult& r) {
  f.add("examples", r.facts.examples, "training examples");
  f.add("labels", r.facts.labels, "number of labels");
  f.add("features", r.facts.features, "number of features");
  f.add("architecture", r.plan.architecture, "kind of model: dense, shared, lsh, tree or hybrid");
  f.add("plan", plan_text(r.plan), "all settings of the training, as name=value");
  f.add("reasons", r.plan.reasons,
        "a list of sentences: why each setting that was not given was chosen");
  f.add("cut_short", r.cut_short,
        "whether --time-budget ended the training before it was complete");
  f.when("label trees", r.plan.has_trees(), [&](const ResultFields& trees) {
    trees.add("trees", r.trees, "number of trees trained");
  });
  f.when("a network", r.plan.has_network(),
         [&](const ResultFields& network) { describe_network_run(network, r); });
  describe_search(f, r);
  f.add("read_seconds", r.read_seconds, "time of reading the data");
  describe_fit_seconds(f, r);
  f.add("calibration_seconds", r.calibration_seconds,
        "time of fitting probabilities and thresholds");
  f.add("write_seconds", r.write_seconds, "time of writing the model");
  describe_lookups(f, r.output.values);
  f.when("fitted probabilities", r.calibration, [](const ResultFields& fitted, const auto& c) {
    fitted.add(
        "calibration", calibration_json(c),
        "examples (held-out ones), threshold (for all labels), shrinkage (how far each label's "
        "threshold is moved towards it, from 0 to 1), and micro_f1, macro_f1 and calibration_error "
        "after the fit; the names with _before are these three before the fit");
  });
  f.when("--validation", r.validation, [](const ResultFields& validated, const Evaluation& e) {
    describe_evaluation(validated, e, "validation_");
  });
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
                               !plan.has_trees()    ? "epochs"
                               : plan.has_network() ? "trees and epochs"
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
    text += " the search for settings (" + std::to_string(tried) + " candidates),";
  }
  if (r.plan.has_trees()) {
    text += " " + std::to_string(r.trees) + " of " + std::to_string(r.plan.forest.trees) + " trees";
  }
  if (r.plan.has_network()) {
    text += std::string(r.plan.has_trees() ? "," : "") + " " + format_number(r.epochs_done, 3) +
            " of " + std::to_string(r.plan.epochs) + " epochs";
  }
  return text;
}

constexpr char kTrainDescription[] =
    "Reads labelled examples, trains a classifier and writes a model with everything that eval and "
    "predict need. Data are fastText text, tables (CSV, TSV, JSON Lines) with columns of text, "
    "categories, numbers and dates, or XMC or svmlight features. Files may be plain or compressed "
    "with zstd or gzip; convert writes tensor files.\n\n"
    "The column of the label is found by its name (label, class, target, topic, rating ...), else "
    "by its few values. Columns that number the rows are ignored, and all others are text. "
    "Numbers and dates beside text are words, too, unless --columns '*:number,NAME:label' declares "
    "them. In a table of numbers alone, each column is a number, and one of whole numbers is a "
    "category, too. The "
    "command prints its assumptions. A model finds its columns by their names in all later inputs. "
    "frugal-tables(7) has the details.\n\n"
    "The classifier is a network with one hidden layer. --architecture tree trains linear label "
    "trees instead. They are the most accurate per second of CPU time for many labels and weighted "
    "words. --architecture hybrid trains both and ranks by the mean of their probabilities.\n\n"
    "Settings that you leave out are chosen from the data and printed with the reason. For texts "
    "and tables in a file with at least 30 examples, a search trains candidates and compares "
    "them on held-out fifths of the training data. Of large files it uses a sample of 8 MiB. "
    "Candidates for text differ in words, pairs of words and n-grams of characters, --min-count, "
    "--tree-cost and --tree-prune. Linear classifiers (--architecture tree) compete with a "
    "network. For tables without text, of up to 100 labels, they differ in --tree-cost and in "
    "the network's --activation. Options that you give are not searched for. With --no-search, "
    "for features that are ids, and for a pipe, settings depend only on the sizes of the data. "
    "If each example has one label, the network is small. It is linear unless a table has "
    "columns of numbers. If examples have many labels, it is larger. With thousands of labels, a "
    "mini-batch computes only a sample of the outputs, and the loss is corrected for it.\n\n"
    "Text must be UTF-8 (--encoding). A column of numbers becomes up to 32 features of the kind "
    "'at least 2.5'. They divide the training examples into equal groups. In large tables "
    "there are 16 for each, with more than 256 such columns 8. NA, null and the like are missing "
    "values. Dates "
    "(2024-02-29, 2024-02-29T13:05, Unix times) become weekday, month, year, day and hour. Data "
    "larger than memory are stored in a temporary file, which an epoch reads in blocks; each "
    "block is a random sample.\n\n"
    "With --init all parts of a model are trained further. Known features and labels keep their "
    "numbers (features also their weight in tf-idf), and new ones are added. The state of a "
    "network's optimiser is not kept. The classifiers of label trees start from their weights and "
    "keep them unless the new data contradict them. A new label joins the most probable leaf for "
    "its examples. It learns little if many new labels come without examples of known labels. The "
    "smaller the share of the new examples in all examples, the less they change the model. If "
    "trials show that the model was trained on the new examples before, --learning-rate and "
    "--tree-cost are reduced, at most to a 125th. Labels that do not occur in the new data are "
    "kept; training only lowers their scores. Thresholds are not fitted again.\n\n"
    "--weights balanced makes rare labels count as much as frequent ones. Label trees multiply "
    "--tree-cost by the weight of an example; networks draw examples with probabilities in "
    "proportion to their weights. The search still chooses by unweighted P@1.\n\n"
    "If examples have several labels, a label is predicted when its score reaches a threshold. To "
    "fit thresholds (--calibration), a second training leaves out a fifth of the examples. If the "
    "search has trained with the same settings, its trial is used instead. On these held-out "
    "examples, thresholds with the best F1 are fitted, one for all labels together and one for "
    "each label. Scores are mapped to probabilities. eval and predict use them. Cross-validation "
    "on these examples decides how far each label's threshold moves towards the common one. It "
    "chooses the best mean of micro and macro F1 at which micro F1 loses at most 0.3 points.\n\n"
    "If examples have one label, the first label is predicted. The scores of label trees are "
    "mapped to probabilities that sum to 1; a network computes probabilities itself. A fit to few "
    "held-out examples changes scores little. For an example without any known feature, label "
    "trees give the shares that the labels have in training; a network gives nearly equal scores. "
    "With --thresholds, eval and predict use thresholds for these models, too.\n\n"
    "--device cuda trains a network with dense or shared outputs on the GPU; trees and hash tables "
    "stay on the CPU. Up to 1,000,000 labels its outputs are dense unless --architecture is "
    "shared. Searches, --find-learning-rate and the second training of --calibration stay on the "
    "CPU, too. --resume can continue on either, if all settings are the same.\n\n"
    "Several processes that mpirun or srun starts train one model together. Each process, a rank "
    "of MPI, reads all data and trains a part of the model. With label trees it trains some of the "
    "classifiers, and the model equals the one of a single process to the last bit. With a network "
    "it stores the rows of its labels, divided into --label-shards parts; the hidden layers are "
    "the same on all ranks. With a fixed number of shards that is a power of two, the model is the "
    "same to the last bit for 1, 2, 4, ... ranks. The first rank gathers all rows for checkpoints, "
    "validation and the model, fits thresholds alone and writes all files. A signal to one rank "
    "stops a network at the same step on all ranks. It stops label trees when the other ranks have "
    "finished their parts. --resume can continue with any number of ranks; for a network it must "
    "divide the number of shards. --init, hash tables, --find-learning-rate and the search for "
    "settings of text need one process; tables are not searched for on several ranks. mpirun "
    "--bind-to none lets a rank use all processors of "
    "its machine.\n\n"
    "The model is the same to the last bit for any number of threads on the same kind of "
    "processor. With --checkpoint and --resume, a killed run continues, also within the search "
    "for settings, and gives the bits of an uninterrupted one. The signal USR1 requests a "
    "checkpoint now. TERM and INT request a checkpoint and end the run with exit status 75.";

ExitStatus run_train(SparseTrainOptions& o, Run& run) {
  const TrainOptions options = complete_options(o, run);
  TrainerRun training(run, options, {options.data, options.validation, options.init},
                      options.model);
  run.keeps(options.cache);
  const TrainResult result = train(options, make_observer(run, training));
  describe_result(ResultFields(run.result()), result);
  if (result.plan.has_network()) {  // for those who read the log alone: hw-probe's cost model
    run.log().step(static_cast<std::int64_t>(result.steps),
                   {{"features_per_example", result.facts.features_per_example},
                    {"hidden", static_cast<double>(result.plan.hidden)}});
  }
  training.finish(result.stopped, result.stopped_in_search ? "in the search for settings"
                                  : result.plan.has_network()
                                      ? "at step " + std::to_string(result.steps)
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
       "text in CSV, with the label in a column named label"},
      {"sparse-train train reviews.csv -o reviews.model --no-search",
       "without a search for settings"},
      {"sparse-train train posts.csv --label-column topic --text-columns title,body -o posts.model",
       "columns chosen by name"},
      {"sparse-train train cars.csv -o cars.model --columns "
       "'title:text,make:category,price:number,sold:date,tags:label(;)'",
       "columns with types, and several labels in a field"},
      {"sparse-train train new.csv -o newer.model --init posts.model",
       "continue training with new data and new labels"},
      {"zcat huge.csv.gz | sparse-train train - -o huge.model --max-memory 2G",
       "train on more data than memory holds"},
      {"sparse-train train train.txt -o tags.model --validation test.txt --report report.html",
       "validate after each epoch, and write a report with learning curves"},
      {"sparse-train train train.txt -o tags.model --architecture tree", "train label trees"},
      {"mpirun --bind-to none -n 4 sparse-train train train.txt -o tags.model --architecture tree",
       "train label trees on four machines or processors"},
      {"sparse-train train train.txt -o tags.model --checkpoint tags.ckpt --resume",
       "a training that can be stopped and continued"}};
  command.often = {"--validation",  "--format",      "--label-column",  "--architecture",
                   "--word-ngrams", "--epochs",      "--learning-rate", "--init",
                   "--checkpoint",  "--time-budget", "--report",        "--json"};
  command.describe = [&o](const OptionFields& f) { describe_train(f, o.train); };
  command.describe_results = [](const ResultFields& f) { describe_result(f, TrainResult{}); };
  command.uses = {.seed = true, .precision = true, .device = true, .engine = "sparse.train"};
  command.joins_ranks = true;
  command.trainer = &o.trainer;
  command.run = [&o](Run& run) { return run_train(o, run); };
  return command;
}

}  // namespace frugal::sparse
