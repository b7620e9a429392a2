#include "tools/tgn-train/settings/train_fields.h"

#include "libcore/base/error.h"
#include "libcore/train/training_fields.h"
#include "tools/tgn-train/settings/label_fields.h"
#include "tools/tgn-train/settings/memory_checks.h"

namespace frugal::tgn {
namespace {

constexpr char kNetwork[] = "Network";
constexpr char kMemoryGroup[] = "Memory";

void add_network_options(const OptionFields& fields, TrainOptions& o) {
  const OptionFields f = fields.group(kNetwork);
  TgnOptions& n = o.network;
  f.add_row_name("--architecture", o.architecture, tgn_architectures(),
                 "predefined network; --message, --aggregator, --updater, --embedding, --layers, "
                 "--memory-dim, --time-dim and --decoder replace single parts of it");
  describe_network(f, n);
  // Logs and checkpoints of earlier versions do not have it.
  f.add("--decoder", n.decoder, kDecoderNames,
        "how the logit of a pair is computed. mlp: from the embeddings of both nodes. common: from "
        "their product and the memories of their common neighbours over one or two hops, as in "
        "TNCN. auto: as in the architecture")
      .keeps_result(n.decoder == DecoderKind::mlp)
      .automatic(o.open.decoder);
  f.field("--message").automatic(o.open.message);
  f.field("--aggregator").automatic(o.open.aggregator);
  f.field("--updater").automatic(o.open.updater);
  f.field("--embedding").automatic(o.open.embedding);
  f.field("--layers").automatic(n.layers, 0);
  f.field("--memory-dim").automatic(n.memory_dim, 0);
  f.field("--time-dim").automatic(n.time_dim, 0);
  f.field("--neighbors").automatic(n.neighbors, 0);
  f.add_either("--time-encoder", n.train_time, {true, false}, {"trainable", "fixed"},
               "whether the parameters of the time encoding are trained. fixed: they keep their "
               "initial values");
  f.add("--time-unit", o.time_unit,
        "unit in which the network sees times, as a number in the unit of the events. auto: about "
        "the mean time between two events of a node in training, so that seconds and days give the "
        "same model. 1: times stay as they are, as in the published programs")
      .finite()
      .positive()
      .automatic(o.time_unit, 0);
  f.add_either("--scale-features", o.scales_features, {true, false}, {"auto", "none"},
               "how features far from 1 are scaled. auto: features with a root mean square above "
               "10 or below 0.001 in training become asinh((x - median) / interquartile range). "
               "none: all features stay as they are, as in the published programs");
  f.add("--pair-features", o.pair_features,
        "give the decoder features of each pair of nodes: how recently and often they met, shared "
        "partners and random walks, as in TPNet. They improve ranks and cost 600 bytes a node");
}

void add_memory_options(const OptionFields& fields, TrainOptions& o) {
  const OptionFields f = fields.group(kMemoryGroup);
  f.add("--refresh", o.refresh, kRefreshNames,
        "with --memory window, which earlier updates a step computes again with its own weights, "
        "so that the updater is trained on them. touched: the last update of each node that the "
        "step reads. none: no earlier update; faster, but less accurate. auto: touched")
      .automatic(o.open.refresh);
  f.add("--ties", o.ties, kTiesNames,
        "with --memory window, which events of the same time an event sees in training. strict: "
        "none. order: the ones before it in the stream. auto: strict, as in validation and test")
      .automatic(o.open.ties);
  f.add_either("--memory-dtype", o.memory_dtype, {Dtype::f32, Dtype::bf16}, {"f32", "bf16"},
               "number type in which the memory is stored. bf16 takes half the space and is less "
               "exact");
  f.add("--weights-only", o.weights_only,
        "do not store the memory in the model file; commands that use the model compute it again "
        "from the events");
  describe_place(fields, o.place);
}

/// Adds what the network is trained against, and how its best epoch is chosen.
void add_negative_options(const OptionFields& f, TrainOptions& o) {
  // Logs and checkpoints of earlier versions have none of these options.
  f.add("--negatives", o.negatives,
        "number of drawn destinations to train each event against. Each adds to the memory of a "
        "training step: with tpnet up to 0.28 GB in batches of 200")
      .range(1, 1000)
      .keeps_result(o.negatives == 1);
  f.add("--train-negatives", o.train_negatives, kTrainNegativeNames,
        "which destinations are drawn. uniform: any of training. historical: one that the source "
        "met before the event's time, and not at it; a uniform one if 8 draws find none. mixed: "
        "historical with probability 1/2, else uniform")
      .keeps_result(o.train_negatives == TrainNegatives::uniform);
  f.add_either("--loss", o.loss, {LossKind::one_vs_all, LossKind::softmax}, {"binary", "ranking"},
               "loss function. binary: cross-entropy of each pair, with negatives weighing as much "
               "as the event. ranking: cross-entropy of the destination among all")
      .keeps_result(o.loss == LossKind::one_vs_all);
  f.add_either(
       "--select", o.select_mrr, {false, true}, {"ap", "mrr"},
       "validation result that chooses the best epoch. ap: average precision, the mean over "
       "batches of 200. mrr: mean reciprocal rank among --select-negatives destinations, "
       "which takes longer")
      .keeps_result(!o.select_mrr);
  f.add("--select-negatives", o.select_negatives,
        "number of uniformly drawn destinations that --select mrr ranks each event among")
      .range(1, 1000000)
      .keeps_result(o.select_negatives == 100)
      .goes_with("--select mrr", [&o] { return o.select_mrr; });
}

void add_training_options(const OptionFields& fields, TrainOptions& o) {
  const OptionFields f = fields.group(kTraining);
  f.add("--window", o.window,
        "number of events after which the memory is updated, a multiple of --batch-size. Larger "
        "windows make the memory staler. auto: --batch-size; with --memory window 1")
      .range(1, 1 << 20)
      .automatic(o.window, 0);
  f.add("--skip-events", o.skip,
        "number of events at the start of the stream that are not trained on. Later events see "
        "them as neighbours, but the memory does not include them");
  add_epoch_options(f, o);
  add_optimizer(f, o.optimizer);
  add_schedule(f, o.schedule);
  add_warm_up(f, o.warm_up);
  add_weight_decay(f, o.weight_decay);
  add_steps(f, o.steps);
  add_negative_options(f, o);
  f.add("--eval,!--no-eval", o.evaluates,
        "validate after each epoch, then test and write the model of the best epoch. With "
        "--no-eval the model of the last epoch is written");
  f.add("--eval-batch-size", o.eval_batch,
        "number of events scored at once in validation and test. With --memory exact and read, the "
        "memory learns of a batch only after all its events are scored")
      .range(1, 1 << 20);
  // Training itself is the same, so a checkpoint continues with either value.
  f.add_either("--mix", o.mixes, {true, false}, {"auto", "none"},
               "what the model answers with. auto: a mix of exact keys of the pair and the "
               "network's logit. If validation finds the network or a prediction without learning "
               "better, that alone. none: the network alone")
      .keeps_result();
  f.add("--new-nodes", o.split.new_nodes,
        "share of the nodes to keep out of training (with all their events), to test how well the "
        "model handles new nodes")
      .range(0.0, 0.9);
  f.add("--split-seed", o.split.seed,
        "random seed that chooses the nodes of --new-nodes. With 2020 they are the nodes of the "
        "published programs");
  f.go_with({"--patience", "--eval-batch-size", "--select"}, "validation, not with --no-eval",
            [&o] { return o.evaluates; });
  f.go_with({"--mix"}, "validation, not with --no-eval", [&o] { return o.evaluates || !o.mixes; });
}

/// A network as the architecture makes it where options leave it open.
TgnOptions decided_network(const TrainOptions& o) {
  const TgnOptions& usual = tgn_architecture(o.architecture).options;
  TgnOptions n = o.network;
  if (o.open.message) n.message = usual.message;
  if (o.open.aggregator) n.aggregator = usual.aggregator;
  if (o.open.updater) n.updater = usual.updater;
  if (o.open.embedding) n.embedding = usual.embedding;
  if (o.open.decoder) n.decoder = usual.decoder;
  if (n.memory_dim == 0) n.memory_dim = usual.memory_dim;
  if (n.time_dim == 0) n.time_dim = usual.time_dim;
  if (n.layers == 0) n.layers = usual.layers;
  if (n.neighbors == 0) n.neighbors = usual.neighbors;
  n.rules = usual.rules;
  n.dyrep = usual.dyrep;
  return n;
}

/// Adds the conditions under which options of a network have an effect.
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
            [&o, has_memory] { return o.task == "link" ? has_memory() : !o.from.empty(); });
  f.field("--memory-shards")
      .goes_with("a memory whose messages need no embeddings, and --decoder mlp", [&o] {
        const TgnOptions network = decided_network(o);
        return network.has_memory() && !network.dyrep && !network.reads_common();
      });
  f.field("--message-dim").goes_with("--message mlp", [&o] {
    return decided_network(o).message == MessageKind::mlp;
  });
  f.field("--layers").goes_with("embeddings sum, attention and walks", has_neighbors);
  f.field("--neighbors").goes_with("embeddings or decoders that look at neighbours", [&o] {
    return decided_network(o).reads_neighbors();
  });
  f.field("--neighbor-sampling").goes_with("embeddings that look at neighbours", has_neighbors);
  f.field("--heads").goes_with("embeddings that attend", attends);
  const auto pairs = [&o] { return decided_network(o).embeds_pairs(); };
  f.field("--dropout").goes_with("embeddings that attend or mix", [&o, attends, pairs] {
    return o.task != "link" || attends() || pairs();
  });
  f.field("--pair-features")
      .goes_with("embeddings other than walks, which read walks themselves",
                 [pairs] { return !pairs(); })
      .goes_with("--decoder mlp", [&o] { return !decided_network(o).reads_common(); });
  f.field("--split-seed").goes_with("--new-nodes above 0", [&o] { return o.split.new_nodes != 0; });
}

/// A model of links has decided these for the labels.
void add_task_conditions(const OptionFields& f, const TrainOptions& o) {
  f.go_with({"--architecture",
             "--message",
             "--aggregator",
             "--updater",
             "--embedding",
             "--decoder",
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
             "--negatives",
             "--train-negatives",
             "--loss",
             "--select",
             "--select-negatives",
             "--eval-batch-size",
             "--mix",
             "--new-nodes",
             "--split-seed"},
            "--task link", [&o] { return o.task == "link"; });
  f.go_with({"--from", "--label-history"}, "--task node-label or event-label",
            [&o] { return o.task != "link"; });
  f.field("--event-features").goes_with("--task event-label", [&o] {
    return o.task == "event-label";
  });
}

void add_memory_mode(const OptionFields& fields, TrainOptions& o) {
  fields.group(kMemoryGroup)
      .add("--memory", o.mode, kMemoryModeNames,
           "earlier events that the memory contains. window: all events before the scored one. "
           "exact: the events of earlier batches, as in the TGN authors' code. read: as exact, but "
           "the time of a stored message is encoded anew when it is read, as in TGL");
}

}  // namespace

TrainOptions undecided_options() {
  TrainOptions o;
  o.network.memory_dim = o.network.time_dim = o.network.layers = o.network.neighbors = 0;
  o.open = {true, true, true, true, true, true, true};
  o.batch = 0;
  o.learning_rate = 0;
  o.epochs = 0;
  return o;
}

void describe_train(const OptionFields& fields, TrainOptions& o) {
  fields.add("events", o.events, "events file written by import or generate")
      .required()
      .metavar("EVENTS")
      .keeps_result();  // they are looked at themselves
  fields.add("-o,--output", o.model, "model file to write")
      .required()
      .metavar("FILE")
      .keeps_result();
  fields
      .add("--task", o.task,
           "what to predict. link: whether an event happens. event-label: the label of an event, "
           "from past labels and, with --from, embeddings of source and destination. node-label: "
           "the same with what belongs to the source, which is embedded alone")
      .choices({"link", "node-label", "event-label"});
  fields
      .add("--from", o.from,
           "model of --task link, whose embeddings --task node-label and event-label use. \"\": "
           "they "
           "use no embeddings, which is much faster and with past labels about as accurate")
      .metavar("MODEL")
      .keeps_result();
  add_label_inputs(fields, o);
  add_memory_mode(fields, o);
  add_batch(fields, o);
  describe_sweep_runs(fields, o);
  fields.group(kTraining)
      .add("--time-ranges", o.time_ranges,
           "number of consecutive ranges that the training events are cut into. Each range trains "
           "a copy of the memory, and a step has a batch of each. The ranks of MPI divide the "
           "ranges among them. auto: one range for each rank")
      .range(1, 4096)
      .automatic(o.time_ranges, 0);
  fields.group(kMemoryGroup)
      .add("--memory-shards", o.memory_shards,
           "number of parts that one memory is divided into by its nodes, and each step by its "
           "events. The ranks of MPI divide the parts among them, so that each stores only a part "
           "of the memory. auto: the memory is not divided")
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
        "where the memory of nodes is stored. ram: in RAM. disk: in a memory-mapped file, for a "
        "memory larger than RAM")
      .keeps_result();
  f.add("--memory-file", place.file,
        "new file for --memory-tier disk, removed when the command ends. \"\": an unnamed file "
        "beside the output, or in TMPDIR if there is no output")
      .metavar("FILE")
      .keeps_result()
      .goes_with("--memory-tier disk", [&place] { return place.tier == MemoryTier::disk; });
}

void describe_ties(const OptionFields& fields, std::string& ties) {
  fields
      .add("--ties", ties,
           "which events of the same time an event sees. strict: none. order: with models of "
           "--memory window, the ones before it in the stream. auto: strict")
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
  check_memory_mode(o);
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
  std::string task = o.of_event ? "event-label" : "node-label";
  fields.add("--task", task, "");
  add_label_inputs(fields, o);
  fields.add("--dropout", o.dropout, "");
  add_batch(fields, o);
  add_epoch_options(fields, o);
  return run_options(fields, o.seed, o.precision);
}

}  // namespace frugal::tgn
