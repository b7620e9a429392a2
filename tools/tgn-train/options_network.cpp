#include "tools/tgn-train/options_network.h"

#include <CLI/CLI.hpp>

#include "libcore/base/error.h"
#include "libcore/base/text.h"
#include "libcore/cli/conditions.h"
#include "libcore/cli/trainer_run.h"

namespace frugal::tgn {
namespace {

constexpr char kNetwork[] = "Network";
constexpr char kMemoryGroup[] = "Memory";
constexpr char kTraining[] = "Training";

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

void add_memory_options(CLI::App& app, TrainCommandOptions& o) {
  app.add_option("--refresh", o.refresh,
                 "window: whose last update is made again with the weights of the step, so that it "
                 "learns by it; auto: touched")
      ->check(CLI::IsMember(Names{"auto", "none", "touched"}))
      ->group(kMemoryGroup);
  app.add_option(
         "--ties", o.ties,
         "window, in training: strict: events of one time know nothing of each other; order: "
         "each knows those before it in the stream; auto: strict, as validation and test are")
      ->check(CLI::IsMember(Names{"auto", "strict", "order"}))
      ->group(kMemoryGroup);
  app.add_option("--memory-dtype", o.memory_dtype, "of what is kept")
      ->check(CLI::IsMember(Names{"f32", "bf16"}))
      ->group(kMemoryGroup);
  app.add_flag("--weights-only", o.train.weights_only,
               "the model's file has no memory: validation, test and all that use the model make "
               "it anew from the events")
      ->group(kMemoryGroup);
  o.place.add(app, kMemoryGroup);
}

void add_training_options(CLI::App& app, TrainCommandOptions& command) {
  TrainOptions& o = command.train;
  app.add_option(
         "--window", o.window,
         "events after which they become known to the memory, a multiple of --batch-size; 0: "
         "--batch-size; with --memory window all before are known: 1")
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
                 "end after so many epochs without a better validation (published: 5); 0 = never")
      ->check(CLI::Range(0, 1000000))
      ->group(kTraining);
  app.add_option("--steps", o.steps, "end after so many; 0 = all")->group(kTraining);
  app.add_flag("--eval,!--no-eval", o.evaluates,
               "validation after each epoch and a test of the best; without them the last epoch's "
               "model is written")
      ->group(kTraining);
  app.add_option("--eval-batch-size", o.eval_batch, "events that are scored at once")
      ->check(CLI::Range(1, 1 << 20))
      ->group(kTraining);
  app.add_option("--new-nodes", o.split.new_nodes,
                 "share of the nodes that are kept out of training, to be tested as new ones")
      ->check(CLI::Range(0.0, 0.9))
      ->group(kTraining);
  app.add_option("--split-seed", o.split.seed, "which nodes these are")->group(kTraining);
  go_with(app, {"--patience", "--eval-batch-size"}, "validation, not with --no-eval",
          [&o] { return o.evaluates; });
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
  } options[] = {
      {"--refresh", o.refresh != "auto", t.mode == MemoryMode::window && n.has_memory(),
       "--memory window and a memory"},
      {"--ties", o.ties != "auto", t.mode == MemoryMode::window && n.has_memory(),
       "--memory window and a memory"},
      {"--memory-dtype", o.memory_dtype != "f32", n.has_memory(), "a memory"},
      {"--memory-tier", o.place.tier != "ram", n.has_memory(), "a memory"},
      {"--dropout", n.dropout != plain.network.dropout, attends, "embeddings that attend"},
      {"--aggregator mean", n.aggregator == AggregatorKind::mean,
       t.mode == MemoryMode::exact && !n.is_pyg(),
       "--memory exact and --arch twitter, where a node may have several messages"},
      {"--preset dyrep", n.dyrep, t.mode == MemoryMode::exact,
       "--memory exact: its messages need embeddings"},
      {"--message mlp", n.message == MessageKind::mlp, n.has_memory(), "a memory"},
      {"--message-dim", n.message_dim != plain.network.message_dim, n.message == MessageKind::mlp,
       "--message mlp"},
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
    fail(ExitStatus::usage, "--window ", o.window, ": expected a multiple of --batch-size ",
         o.batch);
  } else if (o.network.dyrep && o.window > o.batch) {
    fail(ExitStatus::usage, "--window ", o.window,
         ": the messages of --preset dyrep have embeddings of their batch; expected ", o.batch);
  }
}

}  // namespace

// bf16 only where it is asked for: models differ more from seed to seed, in either precision, than
// trainings of three seeds on four streams can tell the precisions apart (tests/bench/RESULTS.md).
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
  if (o.ties != "auto") options.ties = ties_from_name(o.ties);
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

void add_ties(CLI::App& app, std::string& ties, const char* group) {
  app.add_option("--ties", ties,
                 "strict: events of one time know nothing of each other; order: of models of "
                 "--memory window each knows those before it; auto: strict")
      ->check(CLI::IsMember(Names{"auto", "strict", "order"}))
      ->group(group);
}

void add_memory_mode(CLI::App& app, TrainCommandOptions& o) {
  app.add_option("--memory", o.memory,
                 "window: every event knows all before it; exact: as the authors' code, a batch "
                 "knows none of its events; read: as TGL")
      ->check(CLI::IsMember(Names{"window", "exact", "read"}))
      ->group(kMemoryGroup);
}

void add_batch(CLI::App& app, TrainCommandOptions& o) {
  app.add_option("--batch-size", o.batch,
                 "events an optimiser step; 0: 200, with --task node-label 100")
      ->check(CLI::Range(0, 1 << 20))
      ->group(kTraining);
}

}  // namespace frugal::tgn
