#include "tools/tgn-train/settings/train_fields.h"

#include "libcore/base/error.h"
#include "libcore/train/training_fields.h"

namespace frugal::tgn {
namespace {

constexpr char kNetwork[] = "Network";
constexpr char kMemoryGroup[] = "Memory";
constexpr char kTraining[] = "Training";

void add_network_options(const OptionFields& fields, TrainOptions& o) {
  const OptionFields f = fields.group(kNetwork);
  TgnOptions& n = o.network;
  f.add_row_name("--architecture", o.architecture, tgn_architectures(),
                 "modules of the network, which the options below change one by one");
  describe_network(f, n);
  f.field("--message").automatic(o.open.message);
  f.field("--aggregator").automatic(o.open.aggregator);
  f.field("--updater").automatic(o.open.updater);
  f.field("--embedding").automatic(o.open.embedding);
  f.field("--layers").automatic(n.layers, 0);
  f.field("--memory-dim").automatic(n.memory_dim, 0);
  f.field("--time-dim").automatic(n.time_dim, 0);
  f.add_either("--time-encoder", n.train_time, {true, false}, {"trainable", "fixed"},
               "whether time encodings learn");
  f.add("--time-unit", o.time_unit,
        "time that time encodings count as 1; auto: about the mean time between two events of a "
        "node in training, so that seconds and days give the same model. 1: times as the events "
        "have them, as published")
      .finite()
      .positive()
      .automatic(o.time_unit, 0);
  f.add_either("--scale-features", o.scales_features, {true, false}, {"auto", "none"},
               "auto: features whose root mean square in training is above 10 or below 0.001 are "
               "told as asinh((x - median) / distance of the quartiles); none: all as they are, as "
               "published");
  f.add("--pair-features", o.pair_features,
        "features of pairs of nodes for the decoder: how lately and often they met, partners, "
        "walks (TPNet)");
}

void add_memory_options(const OptionFields& fields, TrainOptions& o) {
  const OptionFields f = fields.group(kMemoryGroup);
  f.add("--refresh", o.refresh, kRefreshNames,
        "with --memory window, nodes whose last update a step repeats with its weights, to learn "
        "by it; auto: touched")
      .automatic(o.open.refresh);
  f.add("--ties", o.ties, kTiesNames,
        "with --memory window, events of one time in training: strict: they know nothing of each "
        "other; "
        "order: each knows the events before it in the stream; auto: strict, as in validation "
        "and test")
      .automatic(o.open.ties);
  f.add_either("--memory-dtype", o.memory_dtype, {Dtype::f32, Dtype::bf16}, {"f32", "bf16"},
               "numbers of the kept memory");
  f.add("--weights-only", o.weights_only,
        "write no memory into the model's file: all that use the model make it anew from the "
        "events");
  describe_place(fields, o.place);
}

/// What trainings of links and of labels have; o: TrainOptions or LabelTrainOptions.
template <class Options>
void add_epoch_options(const OptionFields& f, Options& o) {
  add_learning_rate(f, o.learning_rate,
                    "highest learning rate; auto: 1e-4 of adam, with --task node-label 3e-4")
      .automatic(o.learning_rate, 0);
  add_epochs(f, o.epochs,
             "most passes over the training events; auto: 50, with --task node-label 10")
      .automatic(o.epochs, 0);
  add_patience(f, o.patience,
               "end after so many epochs without a better validation (published: 5); 0 = never");
}

void add_training_options(const OptionFields& fields, TrainOptions& o) {
  const OptionFields f = fields.group(kTraining);
  f.add("--window", o.window,
        "events after which the memory learns of them, a multiple of --batch-size; auto: "
        "--batch-size, with --memory window 1")
      .range(1, 1 << 20)
      .automatic(o.window, 0);
  f.add("--skip-events", o.skip,
        "events at the beginning that do not train: nodes have had them, but no memory of them");
  add_epoch_options(f, o);
  add_optimizer(f, o.optimizer);
  add_schedule(f, o.schedule);
  add_warm_up(f, o.warm_up);
  add_weight_decay(f, o.weight_decay);
  add_steps(f, o.steps);
  f.add("--eval,!--no-eval", o.evaluates,
        "validate after each epoch and test the best one; else the last epoch's model is written");
  f.add("--eval-batch-size", o.eval_batch, "events scored at once in validation and test")
      .range(1, 1 << 20);
  f.add("--new-nodes", o.split.new_nodes,
        "share of the nodes kept out of training, to be tested as new ones")
      .range(0.0, 0.9);
  f.add("--split-seed", o.split.seed, "seed of which nodes these are");
  f.go_with({"--patience", "--eval-batch-size"}, "validation, not with --no-eval",
            [&o] { return o.evaluates; });
}

/// A network as the architecture makes it where options leave it open.
TgnOptions decided_network(const TrainOptions& o) {
  const TgnOptions& usual = tgn_architecture(o.architecture).options;
  TgnOptions n = o.network;
  if (o.open.message) n.message = usual.message;
  if (o.open.aggregator) n.aggregator = usual.aggregator;
  if (o.open.updater) n.updater = usual.updater;
  if (o.open.embedding) n.embedding = usual.embedding;
  if (n.memory_dim == 0) n.memory_dim = usual.memory_dim;
  if (n.time_dim == 0) n.time_dim = usual.time_dim;
  if (n.layers == 0) n.layers = usual.layers;
  n.rules = usual.rules;
  n.dyrep = usual.dyrep;
  return n;
}

/// What an option of a network needs to do something.
void add_network_conditions(const OptionFields& f, const TrainOptions& o) {
  const auto has_memory = [&o] { return decided_network(o).has_memory(); };
  const auto has_neighbors = [&o] { return decided_network(o).has_neighbors(); };
  const auto attends = [&o] {
    const EmbeddingKind embedding = decided_network(o).embedding;
    return embedding == EmbeddingKind::attention || embedding == EmbeddingKind::transformer;
  };
  f.go_with({"--refresh", "--ties"}, "--memory window and a memory",
            [&o, has_memory] { return o.mode == MemoryMode::window && has_memory(); });
  f.go_with({"--memory-dtype", "--memory-tier", "--message"}, "a memory",
            [&o, has_memory] { return o.task == "node-label" || has_memory(); });
  f.field("--memory-shards").goes_with("a memory whose messages need no embeddings", [&o] {
    const TgnOptions network = decided_network(o);
    return network.has_memory() && !network.dyrep;
  });
  f.field("--message-dim").goes_with("--message mlp", [&o] {
    return decided_network(o).message == MessageKind::mlp;
  });
  f.field("--layers").goes_with("embeddings sum and attention", has_neighbors);
  f.go_with({"--neighbors", "--neighbor-sampling"}, "embeddings that look at neighbours",
            has_neighbors);
  f.field("--heads").goes_with("embeddings that attend", attends);
  f.field("--dropout").goes_with("embeddings that attend", [&o, attends] {
    return o.task == "node-label" || attends();
  });
  f.field("--split-seed").goes_with("--new-nodes above 0", [&o] { return o.split.new_nodes != 0; });
}

/// A model of links has decided these for the labels.
void add_task_conditions(const OptionFields& f, const TrainOptions& o) {
  f.go_with({"--architecture",
             "--message",
             "--aggregator",
             "--updater",
             "--embedding",
             "--layers",
             "--memory-dim",
             "--time-dim",
             "--message-dim",
             "--neighbors",
             "--heads",
             "--time-encoder",
             "--time-unit",
             "--scale-features",
             "--memory",
             "--refresh",
             "--ties",
             "--memory-dtype",
             "--neighbor-sampling",
             "--pair-features",
             "--weights-only",
             "--window",
             "--skip-events",
             "--time-ranges",
             "--memory-shards",
             "--eval",
             "--optimizer",
             "--schedule",
             "--warm-up",
             "--weight-decay",
             "--steps",
             "--eval-batch-size",
             "--new-nodes",
             "--split-seed"},
            "--task link", [&o] { return o.task == "link"; });
  f.field("--from").goes_with("--task node-label", [&o] { return o.task == "node-label"; });
}

/// Fails (usage) where an architecture or a value asks for what the memory mode cannot do.
void check_modules(const TrainOptions& o) {
  if (o.network.aggregator == AggregatorKind::mean && o.network.is_pyg()) {
    fail(ExitStatus::usage, "--aggregator mean goes with other architectures than pyg");
  }
  if (o.network.aggregator == AggregatorKind::mean && o.mode != MemoryMode::exact) {
    fail(ExitStatus::usage,
         o.architecture == "tgn-mean" ? "--architecture tgn-mean" : "--aggregator mean",
         " goes with --memory exact: a node may have several messages there");
  }
  if (o.network.dyrep && o.mode != MemoryMode::exact) {
    fail(ExitStatus::usage,
         "--architecture dyrep goes with --memory exact: its messages need embeddings");
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
    return;
  }
  if (o.window == 0) o.window = o.batch;
  if (o.window % o.batch != 0) {
    fail(ExitStatus::usage, "--window ", o.window, ": expected a multiple of --batch-size ",
         o.batch);
  } else if (o.network.dyrep && o.window > o.batch) {
    fail(ExitStatus::usage, "--window ", o.window,
         ": the messages of --architecture dyrep have embeddings of their batch; expected ",
         o.batch);
  }
}

void add_memory_mode(const OptionFields& fields, TrainOptions& o) {
  fields.group(kMemoryGroup)
      .add("--memory", o.mode, kMemoryModeNames,
           "what an event knows: window: all events before it; exact: as in the authors' code, "
           "none of its batch; read: as in TGL");
}

/// As add_epoch_options().
template <class Options>
void add_batch(const OptionFields& fields, Options& o) {
  add_batch_size(fields.group(kTraining), o.batch,
                 "events an optimiser step; auto: 200, with --task node-label 100",
                 std::size_t{1} << 20)
      .automatic(o.batch, 0);
}

}  // namespace

TrainOptions undecided_options() {
  TrainOptions o;
  o.network.memory_dim = o.network.time_dim = o.network.layers = 0;
  o.open = {true, true, true, true, true, true};
  o.batch = 0;
  o.learning_rate = 0;
  o.epochs = 0;
  return o;
}

void describe_train(const OptionFields& fields, TrainOptions& o) {
  fields.add("events", o.events, "events of import or generate")
      .required()
      .metavar("EVENTS")
      .keeps_result();  // they are looked at themselves
  fields.add("-o,--output", o.model, "file for the model")
      .required()
      .metavar("FILE")
      .keeps_result();
  fields
      .add("--task", o.task,
           "what to learn: link: which events happen; node-label: whether the label of an event "
           "is 1, from a trained network's embeddings")
      .choices({"link", "node-label"});
  fields.add("--from", o.from, "model of links, for --task node-label")
      .metavar("MODEL")
      .keeps_result();
  add_memory_mode(fields, o);
  add_batch(fields, o);
  describe_sweep_runs(fields, o);
  fields.group(kTraining)
      .add("--time-ranges", o.time_ranges,
           "consecutive ranges that the training events are cut into, each with a copy of the "
           "memory; a step has a batch of each; the ranks of MPI share them; auto: one a rank")
      .range(1, 4096)
      .automatic(o.time_ranges, 0);
  fields.group(kMemoryGroup)
      .add("--memory-shards", o.memory_shards,
           "parts that one memory is cut into by its nodes, and each step by its events; the ranks "
           "of MPI share them, so that each holds a part of the memory; auto: none")
      .range(1, 4096)
      .automatic(o.memory_shards, 0);
  add_task_conditions(fields, o);
  add_network_conditions(fields, o);
}

void describe_sweep_runs(const OptionFields& fields, TrainOptions& o) {
  add_network_options(fields, o);
  add_memory_options(fields, o);
  add_training_options(fields, o);
}

void describe_place(const OptionFields& fields, MemoryPlace& place) {
  const OptionFields f = fields.group(kMemoryGroup);
  f.add("--memory-tier", place.tier, kMemoryTierNames,
        "where the memory of nodes lies: ram; disk: in a mapped file, for more than fits into RAM")
      .keeps_result();
  f.add("--memory-file", place.file,
        "new file for --memory-tier disk, removed when the command ends; \"\": beside the "
        "output, or in TMPDIR where there is none")
      .metavar("FILE")
      .keeps_result()
      .goes_with("--memory-tier disk", [&place] { return place.tier == MemoryTier::disk; });
}

void describe_ties(const OptionFields& fields, std::string& ties) {
  fields
      .add("--ties", ties,
           "events of one time: strict: know nothing of each other; order: with models of "
           "--memory window each knows the events before it; auto: strict")
      .choices({"auto", "strict", "order"});
}

TrainOptions decided(TrainOptions o) {
  const TrainOptions usual;
  o.network = decided_network(o);
  check_network(o.network);
  if (o.batch == 0) o.batch = usual.batch;
  if (o.learning_rate == 0) {
    if (o.optimizer != usual.optimizer) {
      fail(ExitStatus::usage, "--optimizer ", o.optimizer,
           " needs --learning-rate: auto is the rate of ", usual.optimizer);
    }
    o.learning_rate = usual.learning_rate;
  }
  if (o.epochs == 0) o.epochs = usual.epochs;
  // With none the updater learns by the few updates that the step's own events see: far worse.
  const bool in_turn = o.mode == MemoryMode::window && o.network.has_memory();
  if (o.open.refresh) o.refresh = in_turn ? RefreshKind::touched : RefreshKind::none;
  if (o.open.ties) o.ties = usual.ties;
  o.open = {};
  o.place = memory_place(o.place, o.model);
  check_modules(o);
  check_window(o);
  return o;
}

void refuse_without_effect(const TrainOptions& options) {
  TrainOptions given = options, plain = undecided_options();
  const OptionFields fields, defaults;
  describe_train(fields, given);
  describe_train(defaults, plain);
  refuse_without_effect(fields, defaults);
}

OptionTexts training_options(TrainOptions o) {
  return run_options(o, describe_train, o.network.precision);
}

OptionTexts training_options(LabelTrainOptions o) {
  const OptionFields fields;
  std::string task = "node-label";
  fields.add("--task", task, "");
  fields.add("--dropout", o.dropout, "");
  add_batch(fields, o);
  add_epoch_options(fields, o);
  return run_options(fields, o.seed, o.precision);
}

}  // namespace frugal::tgn
