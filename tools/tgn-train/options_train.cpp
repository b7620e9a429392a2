#include "tools/tgn-train/options_train.h"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "libcore/base/text.h"
#include "libcore/cli/trainer_run.h"
#include "libcore/system/clock.h"
#include "libcore/system/signals.h"
#include "tools/tgn-train/link_report.h"
#include "tools/tgn-train/options_label.h"
#include "tools/tgn-train/train_report.h"

namespace frugal {
namespace {

using Names = std::vector<std::string>;
constexpr char kNetwork[] = "Network";
constexpr char kMemory[] = "Memory";
constexpr char kTraining[] = "Training";
constexpr int kDigits = 5;

Names preset_names() {
  Names names;
  for (const TgnPreset& preset : tgn_presets()) names.emplace_back(preset.name);
  return names;
}

void add_network_options(CLI::App& app, TrainCommandOptions& o) {
  TgnOptions& n = o.train.network;
  app.add_option("--preset", o.preset, "the modules of a model that the paper names")
      ->check(CLI::IsMember(preset_names()))
      ->group(kNetwork);
  app.add_option(
         "--arch", o.arch,
         "twitter: the paper's authors' code; pyg: Graphcore's model, 100 numbers a memory and "
         "a transformer convolution")
      ->check(CLI::IsMember(Names{"twitter", "pyg"}))
      ->group(kNetwork);
  app.add_option("--message", o.message, "what is told of an event: identity or through an mlp")
      ->check(CLI::IsMember(Names{"auto", "identity", "mlp"}))
      ->group(kNetwork);
  app.add_option("--aggregator", o.aggregator,
                 "which of a node's messages of a batch counts; by events in turn: all do")
      ->check(CLI::IsMember(Names{"auto", "last", "mean"}))
      ->group(kNetwork);
  app.add_option("--updater", o.updater, "what brings memory up to date; none: no memory")
      ->check(CLI::IsMember(Names{"auto", "none", "gru", "rnn"}))
      ->group(kNetwork);
  app.add_option("--embedding", o.embedding,
                 "identity: memory; time: memory projected in time; sum or attention: of the last "
                 "neighbours")
      ->check(CLI::IsMember(Names{"auto", "identity", "time", "sum", "attention", "transformer"}))
      ->group(kNetwork);
  app.add_option("--layers", o.layers, "of sum or attention; 0: the preset's")
      ->check(CLI::Range(0, 4))
      ->group(kNetwork);
  app.add_option("--memory-dim", o.memory_dim,
                 "numbers of a node's memory and embedding; 0: 172, with --arch pyg 100")
      ->check(CLI::Range(0, 8192))
      ->group(kNetwork);
  app.add_option("--time-dim", o.time_dim,
                 "numbers of a time encoding; 0: 172, with --arch pyg 100")
      ->check(CLI::Range(0, 8192))
      ->group(kNetwork);
  app.add_option("--message-dim", n.message_dim, "numbers of a message through an mlp")
      ->check(CLI::Range(1, 8192))
      ->group(kNetwork);
  app.add_option("--neighbors", n.neighbors, "neighbours of a node that are looked at")
      ->check(CLI::Range(1, 1024))
      ->group(kNetwork);
  app.add_option("--neighbor-sampling", o.sampling,
                 "which: recent: the last ones; uniform: drawn from all, some maybe several times")
      ->check(CLI::IsMember(Names{"recent", "uniform"}))
      ->group(kNetwork);
  app.add_option("--heads", n.heads, "of attention")->check(CLI::Range(1, 8))->group(kNetwork);
  app.add_option("--dropout", n.dropout, "share of attention weights left out")
      ->check(CLI::Range(0.0, 0.99))
      ->group(kNetwork);
  app.add_option("--time-encoder", o.time_encoder, "trainable or fixed")
      ->check(CLI::IsMember(Names{"trainable", "fixed"}))
      ->group(kNetwork);
  app.add_flag("--pair-features", o.train.pair_features,
               "the decoder also looks at what source and destination have in common: how lately "
               "and often they met, partners, walks (TPNet)")
      ->group(kNetwork);
}

void add_memory_mode(CLI::App& app, TrainCommandOptions& o) {
  app.add_option("--memory", o.memory,
                 "window: every event knows all before it; exact: as the authors' code, a batch "
                 "knows none of its events; read: as TGL")
      ->check(CLI::IsMember(Names{"window", "exact", "read"}))
      ->group(kMemory);
}

void add_memory_options(CLI::App& app, TrainCommandOptions& o) {
  app.add_option("--refresh", o.refresh,
                 "window: whose last update is made again with the weights of the step, so that it "
                 "learns by it; auto: touched")
      ->check(CLI::IsMember(Names{"auto", "none", "touched"}))
      ->group(kMemory);
  app.add_option("--memory-dtype", o.memory_dtype, "of what is kept")
      ->check(CLI::IsMember(Names{"f32", "bf16"}))
      ->group(kMemory);
  o.place.add(app, kMemory);
}

void add_batch(CLI::App& app, TrainCommandOptions& o) {
  app.add_option("--batch", o.batch, "events an optimiser step; 0: 200, with --task node-label 100")
      ->check(CLI::Range(0, 1 << 20))
      ->group(kTraining);
}

void add_training_options(CLI::App& app, TrainCommandOptions& command) {
  TrainOptions& o = command.train;
  app.add_option("--window", o.window,
                 "events after which they become known to the memory, a multiple of --batch; 0: "
                 "--batch; with --memory window all before are known: 1")
      ->check(CLI::Range(0, 1 << 20))
      ->group(kTraining);
  app.add_option("--skip-events", o.skip,
                 "so many events at the beginning do not train: nodes have had them, but no memory "
                 "of them")
      ->group(kTraining);
  app.add_option("--learning-rate", command.learning_rate,
                 "of Adam; 0: 1e-4, with --task node-label 3e-4")
      ->check(CLI::Range(0.0, 10.0))
      ->group(kTraining);
  app.add_option("--epochs", command.epochs,
                 "passes over the events that train, at most; 0: 50, with --task node-label 10")
      ->check(CLI::Range(0, 1000000))
      ->group(kTraining);
  app.add_option("--patience", o.patience,
                 "end after so many epochs without a better validation; 0 = never")
      ->check(CLI::Range(0, 1000000))
      ->group(kTraining);
  app.add_option("--steps", o.steps, "end after so many; 0 = all")->group(kTraining);
  app.add_flag("--eval,!--no-eval", o.evaluates,
               "validation after each epoch and a test of the best; without them the last epoch's "
               "model is written")
      ->group(kTraining);
  app.add_option("--eval-batch", o.eval_batch, "events that are scored at once")
      ->check(CLI::Range(1, 1 << 20))
      ->group(kTraining);
  app.add_option("--new-nodes", o.split.new_nodes,
                 "share of the nodes that are kept out of training, to be tested as new ones")
      ->check(CLI::Range(0.0, 0.9))
      ->group(kTraining);
  app.add_option("--split-seed", o.split.seed, "which nodes these are")->group(kTraining);
}

/// Fails (usage) where an option is given that would change nothing.
void check_options_apply(const TrainCommandOptions& o, const TrainOptions& t) {
  const TgnOptions& n = t.network;
  const TrainOptions plain;
  const bool attends =
      n.embedding == EmbeddingKind::attention || n.embedding == EmbeddingKind::transformer;
  const struct {
    const char* option;
    bool given, applies;
    const char* goes_with;
  } options[] = {{"--refresh", o.refresh != "auto", t.mode == MemoryMode::window && n.has_memory(),
                  "--memory window and a memory"},
                 {"--aggregator mean", n.aggregator == AggregatorKind::mean,
                  t.mode == MemoryMode::exact && !n.is_pyg(),
                  "--memory exact and --arch twitter, where a node may have several messages"},
                 {"--preset dyrep", n.dyrep, t.mode == MemoryMode::exact,
                  "--memory exact: its messages need embeddings"},
                 {"--message mlp", n.message == MessageKind::mlp, n.has_memory(), "a memory"},
                 {"--message-dim", n.message_dim != plain.network.message_dim,
                  n.message == MessageKind::mlp, "--message mlp"},
                 {"--layers", n.layers != 1, n.has_neighbors(), "embeddings sum and attention"},
                 {"--neighbors", n.neighbors != plain.network.neighbors, n.has_neighbors(),
                  "embeddings that look at neighbours"},
                 {"--neighbor-sampling", n.sampling != plain.network.sampling, n.has_neighbors(),
                  "embeddings that look at neighbours"},
                 {"--heads", n.heads != plain.network.heads, attends, "embeddings that attend"},
                 {"--split-seed", t.split.seed != plain.split.seed, t.split.new_nodes != 0,
                  "--new-nodes above 0"}};
  for (const auto& [option, given, applies, goes_with] : options) {
    if (given && !applies) fail(ExitStatus::usage, option, " goes with ", goes_with);
  }
}

/// Which events the memory knows when.
void check_window(TrainOptions& o) {
  if (o.mode == MemoryMode::window) {
    if (o.window > 1) {
      fail(
          ExitStatus::usage, "--window ", o.window,
          ": with --memory window every event knows all before it, as in windows of 1; larger ones "
          "go with --memory exact and read");
    }
    o.window = 0;
  } else if (o.window % o.batch != 0) {
    fail(ExitStatus::usage, "--window ", o.window, ": expected a multiple of --batch ", o.batch);
  } else if (o.network.dyrep && o.window > o.batch) {
    fail(ExitStatus::usage, "--window ", o.window,
         ": the messages of --preset dyrep have embeddings of their batch; expected ", o.batch);
  }
}

ExitStatus run_train(const TrainCommandOptions& o, Run& run) {
  if (o.task == "node-label") return run_label_train(o, run);
  if (!o.from.empty()) fail(ExitStatus::usage, "--from goes with --task node-label");
  const double began = wall_seconds();
  const TrainOptions options = complete_options(o, run);
  handle_signals();
  run.reads(options.events);
  run.writes(options.model);
  run.keeps(options.checkpoint);
  std::unique_ptr<Progress> progress;
  TrainObserver observer;
  observer.log = &run.log();
  observer.begun = [&](const TrainFacts& f) {
    run.say(std::to_string(f.nodes) + " nodes, " + std::to_string(f.events) + " events with " +
            std::to_string(f.edge_features) + " features; training " +
            std::to_string(f.train_events) + ", validation " + std::to_string(f.valid_events) +
            ", test " + std::to_string(f.test_events));
    run.say((options.network.is_pyg() ? "pyg" : o.preset) + " with " +
            std::to_string(f.parameters) + " parameters");
    progress = run.progress("training", options.epochs, "epochs");
  };
  observer.progress = [&](double done, const std::string& note) { progress->update(done, note); };
  observer.validated = [&](int epoch, double loss, const MetricValues& values) {
    run.say("epoch " + std::to_string(epoch) + ": loss " + format_number(loss, kDigits) +
            metrics_text("validation", values));
  };
  const TrainResult result = train(options, observer);
  if (progress) progress->finish();
  add_result(result, run.result());
  run.result()["train_seconds"] = wall_seconds() - began;
  if (result.stopped) {
    fail_stopped("stopped at step " + std::to_string(result.steps), options.checkpoint);
  }
  if (!run.options().report.empty()) add_train_report(result, run.log(), run.report());
  run.say(std::to_string(result.epochs) + " epochs, " +
          format_number(run.result()["events_per_second"].get<double>(), 4) + " events/s" +
          tests_text(result.tests));
  return ExitStatus::ok;
}

std::string train_description() {
  return "Trains a model to tell the events of a stream from events that did not happen: "
         "each has the same source and a destination drawn from all that training has. A "
         "network looks at the memory of both nodes, which a recurrent cell brings up to "
         "date with every event, and at the nodes' last neighbours. After each epoch the "
         "validation part is scored; the epoch whose average precision, a mean over batches "
         "of 200 events, is best is tested and written. The stream is split at the quantiles "
         "0.70 and 0.85 of its times, and a tenth of the nodes are kept out of training, to "
         "be tested as new ones.\n\n"
         "--memory window, the default, lets every event know all events before it, also "
         "those of its own batch, as if batches were of one event: which versions of memory "
         "each event sees is planned ahead, and what does not depend on each other is "
         "computed at once. By --refresh touched, the default, the last update of every node "
         "that a step looks at is made again with the step's weights, so that the updater "
         "learns by it; none is faster and less accurate. exact and read take batches as "
         "they are, as the published programs do. --preset dyrep goes with exact: its "
         "messages have the other node's embedding, and its links are told by memory. With "
         "--window larger than --batch the memory as of the window's beginning is what "
         "several optimiser steps see, so that stale memory and large steps can be told "
         "apart.\n\n"
         "--pair-features widens the decoder by what source and destination have in common: "
         "how lately and how often each was among the other's last partners, partners in "
         "common, how active and popular both are, and random projections of walks, as TPNet "
         "has them; of the events strictly before, in training and tests alike. They cost "
         "600 bytes a node.\n\n"
         "--memory-tier disk keeps the memory of nodes in a mapped file, for more of them "
         "than fit: the room is taken at the start, or the run fails there; the model is the "
         "same to the last bit. Where there is a second thread, steps are planned, and their "
         "memory is called for, while the one before is computed.\n\n"
         "--precision auto is f32: bf16 is faster and its training losses are the same, but "
         "after an epoch some of its models validate several points worse.\n\n"
         "--task node-label trains three fully connected layers to tell whether the label of "
         "an event is 1 (such as the user who edits being banned) from the embedding that "
         "the network of --from has of the source before the memory knows of the event; the "
         "network stays as it is. The epoch with the best area under the ROC curve of the "
         "validation part is tested and written, with the network beside it. All nodes "
         "train. --dropout is that of the layers; there is no --checkpoint.\n\n"
         "The model is the same to the last bit for any number of threads on the same kind "
         "of processor. With --checkpoint, a killed run goes on with --resume to the bits of "
         "an uninterrupted one. USR1 asks for a checkpoint now; TERM and INT for a "
         "checkpoint and the end of the run with exit status 75.\n\n"
         "With --json: nodes, events, parameters, train_events, validation_events, "
         "test_events, new_node_validation_events, new_node_test_events, epochs, best_epoch, "
         "steps, resumed_from_step, loss, events_per_second and events_per_cpu_second "
         "(training events through forward pass, backward pass and optimiser), epoch_seconds "
         "(median, without validation), the metrics that eval describes, read_seconds, "
         "fit_seconds, plan_seconds (in which training waited for plans), eval_seconds, "
         "train_seconds. Of node-label: nodes, events, parameters (of the layers), "
         "train_events, validation_events, test_events, train_labelled (with label 1), "
         "validation_labelled, test_labelled, epochs, best_epoch, steps, loss, "
         "validation_auc, validation_ap, test_auc, test_ap, read_seconds, embed_seconds, "
         "fit_seconds, train_seconds.";
}

}  // namespace

// Some models that an epoch in bf16 made validated worse than those in f32 (Wikipedia's edits,
// batches of 10, --arch pyg: 0.76 to 0.95 beside 0.93): bf16 is taken only where it is asked for.
Precision network_precision(const Run& run) {
  return run.precision() == Precision::automatic ? Precision::f32 : run.precision();
}

TrainOptions complete_options(const TrainCommandOptions& o, const Run& run) {
  TrainOptions options = o.train;
  TgnOptions preset = tgn_preset(o.preset).options;
  if (architecture_from_name(o.arch) == Architecture::pyg) {
    if (o.preset != "tgn-attn") {
      fail(ExitStatus::usage, "--preset ", o.preset, " goes with --arch twitter");
    }
    preset = pyg_options();
  }
  TgnOptions& n = options.network;
  n.architecture = preset.architecture;
  n.memory_dim = o.memory_dim == 0 ? preset.memory_dim : o.memory_dim;
  n.time_dim = o.time_dim == 0 ? preset.time_dim : o.time_dim;
  n.message = o.message == "auto" ? preset.message : message_from_name(o.message);
  n.aggregator = o.aggregator == "auto" ? preset.aggregator : aggregator_from_name(o.aggregator);
  n.updater = o.updater == "auto" ? preset.updater : updater_from_name(o.updater);
  n.embedding = o.embedding == "auto" ? preset.embedding : embedding_from_name(o.embedding);
  n.layers = o.layers == 0 ? preset.layers : o.layers;
  n.dyrep = preset.dyrep;
  n.sampling = sampling_from_name(o.sampling);
  n.train_time = o.time_encoder == "trainable";
  n.precision = network_precision(run);
  check_network(n);
  if (o.batch != 0) options.batch = o.batch;
  if (o.learning_rate != 0) options.learning_rate = o.learning_rate;
  if (o.epochs != 0) options.epochs = o.epochs;
  options.mode = memory_mode_from_name(o.memory);
  // With none the updater learns by the few updates that the step's own events see: far worse.
  const bool in_turn = options.mode == MemoryMode::window && n.has_memory();
  options.refresh = o.refresh != "auto" ? refresh_from_name(o.refresh)
                    : in_turn           ? RefreshKind::touched
                                        : RefreshKind::none;
  options.memory_dtype = o.memory_dtype == "bf16" ? Dtype::bf16 : Dtype::f32;
  options.place = o.place.place(options.model);
  static_cast<TrainerSettings&>(options) = trainer_settings(o.trainer, run);
  check_options_apply(o, options);
  check_window(options);
  return options;
}

void add_shared_options(CLI::App& app, TrainCommandOptions& o) {
  add_network_options(app, o);
  add_memory_options(app, o);
  add_training_options(app, o);
}

void PlaceOptions::add(CLI::App& app, const char* group) {
  app.add_option("--memory-tier", tier,
                 "where the memory of nodes lies: ram; disk: in a mapped file, for more than fits")
      ->check(CLI::IsMember(Names{"ram", "disk"}))
      ->group(group);
  app.add_option("--memory-file", file,
                 "that file, a new one, which is gone when the command ends, however; \"\": beside "
                 "the output, or in TMPDIR where there is none")
      ->type_name("FILE")
      ->group(group);
}

Command train_command(TrainCommandOptions& o) {
  Command command;
  command.name = "train";
  command.summary = "train a temporal graph network on a stream of events";
  command.description = train_description();
  command.examples = {
      {"tgn-train train EVENTS -o tgn.model", "attention over the last neighbours"},
      {"tgn-train train EVENTS -o tgn.model --batch 10", "more, smaller steps"},
      {"tgn-train train EVENTS -o tgn.model --memory exact",
       "batches as the authors' code has them"},
      {"tgn-train train EVENTS --neighbor-sampling uniform -o tgn.model",
       "attention over any of the neighbours"},
      {"tgn-train train EVENTS --memory-tier disk --memory-dtype bf16 --new-nodes 0 "
       "--no-eval -o large.model",
       "of more nodes than fit into memory"},
      {"tgn-train train EVENTS --arch pyg -o pyg.model", "Graphcore's model"},
      {"tgn-train train EVENTS --config configs/wikipedia-tgn.yaml -o tgn.model",
       "all as the paper has it"},
      {"tgn-train train EVENTS --task node-label --from tgn.model -o labels.model",
       "what becomes of the sources"},
      {"tgn-train train EVENTS --pair-features -o pairs.model",
       "also by what both nodes have in common: ranks far better"}};
  command.add_options = [&o](CLI::App& app) {
    app.add_option("events", o.train.events, "events of import or generate")
        ->required()
        ->type_name("EVENTS");
    app.add_option("-o,--output", o.train.model, "file for the model")->type_name("FILE");
    app.add_option("--task", o.task,
                   "link: tell events from others; node-label: tell from a trained network's "
                   "embeddings whether the label of an event is 1")
        ->check(CLI::IsMember(Names{"link", "node-label"}));
    app.add_option("--from", o.from, "a model of links; of node-label")->type_name("MODEL");
    add_memory_mode(app, o);
    add_batch(app, o);
    add_shared_options(app, o);
  };
  command.trainer = &o.trainer;
  command.run = [&o](Run& run) { return run_train(o, run); };
  return command;
}

}  // namespace frugal
