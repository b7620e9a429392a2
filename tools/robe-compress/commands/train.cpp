#include <nlohmann/json.hpp>

#include "libcore/base/log.h"
#include "libcore/base/text.h"
#include "libcore/cli/trainer_run.h"
#include "libcore/metrics/run_log.h"
#include "libcore/report/report.h"
#include "tools/robe-compress/commands/tool.h"
#include "tools/robe-compress/commands/train_report.h"
#include "tools/robe-compress/search/epoch_search.h"
#include "tools/robe-compress/search/hot_search.h"
#include "tools/robe-compress/search/linear_search.h"
#include "tools/robe-compress/serve/evaluate.h"
#include "tools/robe-compress/settings/train_fields.h"

namespace frugal::robe {
namespace {

using nlohmann::ordered_json;
constexpr int kOptionDigits = 5;

void say_trials(const std::vector<HotTrial>& trials, Run& run) {
  for (const HotTrial& t : trials) {
    run.say(t.text());
  }
}

void say_epochs(const TrainOptions& options, const std::vector<EpochTrial>& trials, Run& run) {
  const std::string l2 =
      options.embedding_l2 > 0 ? "L2 " + format_number(options.embedding_l2) + ", " : "";
  for (std::size_t i = 0; i < trials.size(); ++i) {
    const EpochTrial& t = trials[i];
    run.say("trial, " + l2 + "epoch " + std::to_string(i + 1) + ": AUC " +
            format_number(t.figures.auc.value_or(0), kOptionDigits) + ", log-loss " +
            format_number(t.figures.log_loss, kOptionDigits) +
            (t.chosen ? ", so many are trained on all samples" : ""));
  }
}

void say_candidates(const ModelCandidates& c, Run& run) {
  const auto figures = [](const LearntFigures& f) {
    return ": AUC " + format_number(f.auc.value_or(0), kOptionDigits) + ", log-loss " +
           format_number(f.log_loss, kOptionDigits);
  };
  const auto mark = [&c](ModelCandidates::Name name) {
    return c.best() == name ? ", which is the model" : "";
  };
  run.say("network" + figures(c.network_figures) + mark(ModelCandidates::network));
  run.say("linear model (--architecture linear), L2 " + format_number(c.l2) +
          figures(c.linear_figures) + mark(ModelCandidates::linear));
  run.say("mean of their logits" + figures(c.mean_figures) + mark(ModelCandidates::mean));
}

constexpr char kTrainDescription[] =
    "Reads labelled samples, trains embedding tables and a network on them, and writes a model "
    "with everything that eval and predict need. Data are Criteo's TSV, or CSV, TSV or JSON Lines "
    "with columns of categories and numbers, plain or compressed with zstd or gzip. The tables "
    "take --compression times fewer bytes than full tables, which have one row for each category. "
    "With robe all rows are made of blocks of one shared array (ROBE: Desai, Chou, Shrivastava, "
    "MLSys 2022).\n\n"
    "Categories are counted while the data are read. With --ids hash or number they are not, and "
    "--stream can train in one pass over data of any size, also from a pipe.\n\n"
    "The use of each column is printed before training, with its number of different values (exact "
    "up to 8,192, else within a few per cent; not with --stream). Doubtful uses get a warning. "
    "They are columns in which almost every value occurs once, such as row ids, and undeclared "
    "whole numbers that are read as categories. --columns declares them. If the data have only "
    "numbers, there are no tables.\n\n"
    "With --held-out or --validation each epoch is validated, and the epoch with the lowest "
    "log-loss is written. Without --epochs the run ends when validation stops improving. Without "
    "validation, a trial run finds the number of epochs first. A warning is printed if the model "
    "predicts no better than the share of clicks. If all labels are of one class, the run fails; "
    "with --init or --stream it only warns. The model is the same to the last bit for any number "
    "of threads on the same kind of processor. With --checkpoint and --resume, a killed run "
    "continues and gives the bits of an uninterrupted one. The signal USR1 requests a checkpoint "
    "now. TERM and INT request a checkpoint and end the run with exit status 75.\n\n"
    "Small tables (see --compression) are stored whole. Then, with up to a million samples, and if "
    "no option determines the model, the run chooses among three models. These are the network, a "
    "linear model of the same columns (--architecture linear: logistic regression with an L2 "
    "penalty), and the mean of their logits (--architecture wide-dlrm). It writes the one with the "
    "lowest log-loss on the validation samples or, without validation, on the held-out samples of "
    "the trial run. It prints the figures of all three. Epochs, steps and loss of the result "
    "belong to the model that is written, or to the network in a mean. If a second epoch of the "
    "trial run has a higher AUC than the first, it also tries a network with --embedding-l2 10 and "
    "--embedding-rate 0.2. Boosted trees are not among the models and may be better on columns of "
    "numbers. A linear model is trained in one process, on the CPU, by sweeps over all samples.\n\n"
    "Several processes that mpirun or srun starts train one model together. Each process, a rank "
    "of MPI, reads all samples and takes a part of each mini-batch. So a step is as large as in "
    "one process. --accumulate makes larger steps, of several mini-batches that the ranks divide "
    "among them. There are then fewer steps and fewer exchanges; a larger --learning-rate may be "
    "needed. --exchange determines how embeddings are exchanged; the run prints its choice and the "
    "number of bytes. With the same --accumulate, the model is the same to the last bit for 1, 2, "
    "4, ... ranks. The first rank writes all files. A signal to any rank stops all at the same "
    "step. --resume can continue with any number of ranks.";

ordered_json columns_json(const std::vector<ColumnFacts>& columns) {
  ordered_json json = ordered_json::array();
  for (const ColumnFacts& column : columns) {
    ordered_json& entry = json.emplace_back(
        ordered_json{{"name", column.name}, {"use", column.use}, {"values", nullptr}});
    if (column.count.samples == 0) continue;
    entry["values"] = column.count.values;
    entry["exact"] = column.count.exact;
  }
  return json;
}

ordered_json candidates_json(const ModelCandidates& c) {
  const auto figures_json = [](const LearntFigures& figures) {
    return ordered_json{{"auc", figures.auc.value_or(0)}, {"log_loss", figures.log_loss}};
  };
  return {{"network", figures_json(c.network_figures)},
          {"linear", figures_json(c.linear_figures)},
          {"mean", figures_json(c.mean_figures)}};
}

void describe_size(const ResultFields& f, const TrainFacts& facts) {
  f.add("parameters", facts.embedding_parameters + facts.network_parameters,
        "number of trained parameters, embeddings included");
  f.add("embedding_parameters", facts.embedding_parameters,
        "number of parameters in the embedding tables");
  f.add("embedding_bytes", facts.embedding_bytes, "size of the embedding tables as stored");
  f.add("full_bytes", facts.full_bytes, "size that full tables in f32 would have");
  f.add("compression",
        static_cast<double>(facts.full_bytes) /
            static_cast<double>(std::max<std::uint64_t>(1, facts.embedding_bytes)),
        "full_bytes divided by embedding_bytes");
  f.add("storage", facts.storage, "number type in which the tables are stored");
  f.add("rows", facts.rows, "number of rows of all tables together");
}

void describe_validation(const ResultFields& f, const TrainResult& r) {
  f.when("validation samples", r.validation.has_value(), [&](const ResultFields& validation) {
    const BinaryMetrics none;
    describe_click_metrics(validation, "validation", r.validation ? *r.validation : none);
    describe_unknown(validation, "validation", r.validation_unknown);
  });
}

void describe_result(const ResultFields& f, const TrainResult& r) {
  f.add("samples", r.facts.samples > 0 ? r.facts.samples : r.samples, "number of training samples");
  f.add("samples_per_second", static_cast<double>(r.samples) / std::max(1e-9, r.fit_seconds),
        "samples trained per second of fit_seconds");
  describe_size(f, r.facts);
  f.add("hot_share", r.hot_share,
        "with --method robe-hot, share of embedding_bytes that frequent categories use for rows of "
        "their own");
  f.add("architecture", r.facts.architecture, "architecture of the model");
  f.when("a choice among models", r.candidates.has_value(), [&](const ResultFields& choice) {
    choice.add("candidates", candidates_json(r.candidates.value_or(ModelCandidates{})),
               "auc and log_loss of each model (network, linear and mean) on the samples that "
               "decided the choice");
  });
  describe_run_figures(f, r);
  f.add("read_seconds", r.read_seconds, "time of reading the samples");
  f.add("search_seconds", r.search_seconds, "time of the trials before the training");
  describe_fit_seconds(f, r);
  f.add("write_seconds", r.write_seconds, "time of writing the model");
  f.add("columns", columns_json(r.facts.columns),
        "a list with name, use, values (number of different values; null if not counted) and exact "
        "(whether values is exact) of each column");
  describe_unknown(f, "", r.unknown);
  describe_validation(f, r);
}

double total_samples(const TrainFacts& facts) {
  return static_cast<double>(facts.samples) * facts.epochs;
}

std::string size_text(const TrainFacts& facts) {
  if (facts.rows == 0) return "no categories, no embedding tables";
  return std::to_string(facts.rows) + " rows of " + std::to_string(facts.dim) + ": " +
         format_bytes(facts.full_bytes) + " of full tables, " +
         format_bytes(facts.embedding_bytes) + " with " + facts.method +
         (facts.storage.empty() ? "" : " in " + facts.storage);
}

TrainObserver make_observer(const TrainOptions& options, Run& run, TrainerRun& training) {
  TrainObserver observer;
  observer.log = &run.log();
  observer.tried = [&run](const std::vector<HotTrial>& trials) { say_trials(trials, run); };
  observer.tried_epochs = [&run](const TrainOptions& o, const std::vector<EpochTrial>& trials) {
    say_epochs(o, trials, run);
  };
  observer.tried_linear = [&run](const L2Trial& trial) { run.say("trial, " + trial.text()); };
  observer.compared = [&run](const ModelCandidates& c) { say_candidates(c, run); };
  observer.begun = [&options, &run, &training](const TrainFacts& facts) {
    for (const std::string& line : facts.description) run.say(line);
    run.say(size_text(facts) + "; network " +
            format_bytes(facts.network_parameters * sizeof(float)));
    training.progress().begin({"training", options.stream ? 0 : total_samples(facts), "samples"});
  };
  observer.progress = training.shows_progress();
  observer.validated = [&run](int epoch, const BinaryMetrics& m) {
    run.say("epoch " + std::to_string(epoch) + ": validation AUC " +
            (m.has_both_classes() ? format_number(m.auc(), kOptionDigits) : "undefined") +
            ", log-loss " + format_number(m.log_loss(), kOptionDigits));
  };
  return observer;
}

ExitStatus run_train(const TrainCommandOptions& o, Run& run) {
  const TrainOptions options = complete_options(o, run);
  TrainerRun training(run, options, {options.data, options.validation, options.init},
                      options.model);
  const TrainResult result = train(options, make_observer(options, run, training));
  describe_result(ResultFields(run.result()), result);
  training.finish(result.stopped, result.steps > 0 ? "at step " + std::to_string(result.steps)
                                                   : "before the first step");
  if (!run.options().report.empty()) add_train_report(result, run.log(), run.report());
  run.say("trained in " + format_seconds(result.fit_seconds) + " (reading " +
          format_seconds(result.read_seconds) + ")" + device_busy_text(result) + ", loss " +
          format_number(result.loss, kOptionDigits));
  return ExitStatus::ok;
}

}  // namespace

TrainOptions complete_options(const TrainCommandOptions& o, const Run& run) {
  TrainOptions options = o.train;
  if (options.asynchronous)
    log_warning("--asynchronous has no effect: every run trains the same bits");
  options.network.precision = run.precision();
  static_cast<TrainerSettings&>(options) = trainer_settings(o.trainer, run);
  if (run.ranks().rank() != 0) options.model = "";
  if (run.ranks().size() > 1 && options.data == "-") {
    fail(ExitStatus::usage, "stdin goes to one rank: expected a file that all ranks can read");
  }
  return options;
}

Command train_command(TrainCommandOptions& o) {
  Command command;
  command.name = "train";
  command.summary = "train a click model with small embedding tables";
  command.description = kTrainDescription;
  command.examples = {
      {"robe-compress train day.tsv.gz -o clicks.model",
       "Criteo's format, tables compressed 100 times"},
      {"robe-compress train clicks.csv -o clicks.model --compression 1000 --method robe-hot "
       "--held-out last:0.1",
       "frequent categories get rows of their own"},
      {"robe-compress train ratings.csv -o ratings.model --columns "
       "'user:category,item:category,rating:label,*:ignore' --positive 'rating>=4'",
       "ratings of at least 4 as clicks"},
      {"zcat day_*.gz | robe-compress train - -o big.model --format criteo --stream --ids hash "
       "--hash-rows 40000000 --bytes 100M --dim 128",
       "data of any size in one pass, for tables larger than memory"},
      {"mpirun --bind-to none -n 4 robe-compress train day.tsv -o clicks.model --wire bf16",
       "four processes train one model; gradients of embeddings are sent in half the bytes"},
      {"robe-compress train day.tsv -o clicks.model --config configs/dlrm-kaggle.yaml",
       "the settings of the DLRM reference for Criteo Kaggle"}};
  command.often = {"--validation", "--held-out",      "--format",      "--label-column",
                   "--columns",    "--method",        "--compression", "--dim",
                   "--epochs",     "--learning-rate", "--report"};
  command.describe = [&o](const OptionFields& f) { describe_train(f, o.train); };
  command.uses = {.seed = true, .precision = true, .device = true, .engine = "robe.train"};
  command.trainer = &o.trainer;
  command.joins_ranks = true;
  command.describe_results = [](const ResultFields& f) { describe_result(f, TrainResult{}); };
  command.run = [&o](Run& run) { return run_train(o, run); };
  return command;
}

}  // namespace frugal::robe
