#include "tools/gnn-sample/settings/train_fields.h"

#include "libcore/train/accumulation.h"
#include "libcore/train/training_fields.h"
#include "tools/gnn-sample/inputs/input_parts.h"
#include "tools/gnn-sample/network/conv_kinds.h"
#include "tools/gnn-sample/settings/sampling_options.h"

namespace frugal::gnn {
namespace {

constexpr char kNetwork[] = "Network";
constexpr char kTraining[] = "Training";
constexpr char kTask[] = "Task";

void add_network_options(const OptionFields& fields, TrainOptions& o) {
  const OptionFields f = fields.group(kNetwork);
  GnnOptions& n = o.network;
  f.add_row_name(
       "--architecture", n.kind, conv_kinds(),
       "network architecture. auto: the best of sign, gcn with residual paths and sage-ri "
       "in short trials on the validation nodes, each with settings of its own; sage if "
       "another option of network, sampling or training is given; rgcn for a graph of several "
       "types")
      .automatic(o.open_settings);
  const TrainOptions plain;
  f.add("--input", o.input,
        "what the network reads of a node, one or more parts separated by commas. features: the "
        "node's features. embedding: trained numbers of the node's own. degree: its numbers of "
        "edges, on a logarithmic scale. projection: a random projection of its neighbourhood. "
        "auto: features; if the graph has none, projection. Beside an embedding, sparse features "
        "are stored as dense ones")
      .metavar("auto|PARTS")
      .keeps_result(o.input == plain.input);
  f.add("--input-size", o.input_size,
        "embedding, projection: number of columns; rgcn, rgat, hgt: of the embedding of a node "
        "without features. auto: 128; rgcn, rgat: --hidden; hgt: --hidden x --heads, for "
        "which embeddings need no map. Larger ones tell more nodes apart "
        "and take more "
        "time and memory")
      .range(1, 65536)
      .automatic(o.open_input_size)
      .keeps_result(o.open_input_size || o.input_size == plain.input_size);
  describe_network(f, n);
  describe_edge_weights(f, n);
  f.field("--edge-weights").keeps_result(!n.edge_weights);
  f.field("--activation").automatic(o.open_activation);
  f.field("--head-layers").automatic(o.open_head_layers);
  f.add("--batch-norm", o.batch_norm, "short for --norm batch").goes_with("--norm batch", [&n] {
    return n.norm != NormKind::layer;
  });
  f.field("--norm").goes_with("--batch-norm as --norm batch only",
                              [&o] { return !o.batch_norm || o.network.norm != NormKind::none; });
}

void add_task_options(const OptionFields& fields, TrainOptions& o) {
  const OptionFields f = fields.group(kTask);
  f.add("--task", o.task,
        "what to learn. nodes: the classes of nodes. links: embeddings whose dot product separates "
        "edges, in a graph of several types the edges of --relation, from random pairs of nodes")
      .choices({"nodes", "links"});
  f.add("--seed-type", o.seed_type,
        "rgcn, rgat, hgt: type of the nodes to learn from; default: the only type with a split, or "
        "with "
        "labels")
      .metavar("TYPE")
      .keeps_result();  // the type itself is compared instead
  f.add("--relation", o.links.relation,
        "links, with rgcn, rgat or hgt: relation to predict, SOURCE:RELATION:TARGET; default: the "
        "only "
        "one that "
        "import did not make of reverse edges")
      .metavar("SOURCE:RELATION:TARGET")
      .keeps_result();  // the relation itself is compared instead
  f.add("--embedding", o.links.embedding, "links: size of a node's embedding, in numbers")
      .range(1, 65536);
  f.add("--held-out", o.links.held_out,
        "links: share of the edges to hold out of training for validation and test. Each part is "
        "scored by at most 100,000 of its edges, at equal distances")
      .range(0.0, 0.9);
  f.add(
       "--held-out-edges", o.links.held_out_edges,
       "links: file of the edges to hold out, in place of a random share: lines source,target,part "
       "with part valid or test. They need not be edges of the graph; its other edges are trained "
       "on. All are scored, each once: a pair that comes again, of one type also reversed, is left "
       "out with a warning. Lines with part valid-negative or test-negative are pairs to rank an "
       "edge among that has their source, in place of random ones. Those of valid-shared-negative "
       "and test-shared-negative are for all edges of the part")
      .metavar("FILE")
      .keeps_result()  // what it holds is compared instead
      .excludes("held-out");
  f.add("--write-held-out", o.links.write_held_out,
        "links: file to write the held-out edges to, as --held-out-edges reads them")
      .metavar("FILE")
      .keeps_result();
  f.add("--negatives", o.links.negatives,
        "links: number of negative pairs to train on for each edge; they have the edge's source "
        "and any node, of the target's type, as target")
      .range(1, 1000);
  f.add("--eval-negatives", o.links.eval_negatives,
        "links: number of pairs with other nodes that each held-out edge is ranked among")
      .range(1, 100000);
}

void add_training_options(const OptionFields& fields, TrainOptions& o) {
  const OptionFields f = fields.group(kTraining);
  add_batch_size(f, o.batch_size,
                 "number of training nodes, or links, in a mini-batch. Larger ones give fewer "
                 "steps and need more memory",
                 1U << 24);
  add_accumulate(f, o.accumulate, "mean gradient");
  add_epochs(f, o.epochs, "number of passes over the training nodes");
  add_optimizer(f, o.optimizer);
  add_learning_rate(f, o.learning_rate, "peak learning rate", 0);
  add_schedule(f, o.schedule);
  add_warm_up(f, o.warm_up);
  add_weight_decay(f, o.network.weight_decay);
  f.add("--decay-first-only", o.network.decay_first_only,
        "apply --weight-decay only to the first layer, as the GCN authors' code does");
  add_patience(f, o.patience);
  f.add("--metric", o.select,
        "validation metric that chooses the best epoch. auc is for two classes and for links. "
        "accuracy is the mean reciprocal rank with links, and r2 if labels are numbers")
      .choices({"accuracy", "auc", "loss"});
  f.add("--eval-every", o.eval_every, "number of epochs from one validation to the next")
      .range(1, 1000000);
  f.add("--eval-fanouts", o.eval_fanouts,
        "number of neighbours to draw in each hop in validation and test; \"\": exact outputs, "
        "from all neighbours");
  add_steps(f, o.steps);
  f.add("--split", o.split, "number of the split to use, from 0, if the graph has several");
}

void add_feature_parts(const OptionFields& fields, FeaturePartsOptions& o) {
  fields
      .add("--feature-parts", o.parts,
           "with several ranks, which rank stores the features of which nodes. even: nodes are "
           "dealt in turn, 256 at a time. FILE: the parts that `gnn-sample partition` wrote, as "
           "many as ranks or a multiple. \"\": each rank stores all features")
      .metavar("even|FILE")
      .keeps_result();
  fields
      .add("--feature-cache", o.cache,
           "number of feature rows of other ranks that a rank caches, as a share of its own rows. "
           "Rows that are most probable in a mini-batch are cached")
      .range(0.0, 1e6)
      .keeps_result()
      .goes_with("--feature-parts", [&o] { return !o.parts.empty(); });
}

/// Adds the conditions under which options have an effect.
void add_train_conditions(const OptionFields& f, const TrainOptions& o) {
  add_kind_conditions(f, o.network, &o.open_head_layers);
  f.field("--method")
      .goes_with(
          "other values than window with --architecture gine, as window forgets which edge is "
          "which",
          [&o] { return !wants_edge_features(o.network) || o.sampling.method != "window"; });
  f.go_with({"--edge-weights"},
            "--method uniform or labor: weighted draws count the weights already, and window "
            "forgets which edge is which",
            [&o] { return o.sampling.method == "uniform" || o.sampling.method == "labor"; });
  f.go_with({"--decay-first-only"}, "--weight-decay", [&o] { return o.network.weight_decay > 0; });
  f.go_with({"--relation", "--embedding", "--held-out", "--held-out-edges", "--write-held-out",
             "--negatives", "--eval-negatives"},
            "--task links", [&o] { return o.task == "links"; });
  f.go_with({"--input-size"}, "an embedding or projection in --input", [&o] {
    const auto parts = InputParts::parse(o.input);
    return !parts || parts->embedding || parts->projection;
  });
  f.go_with({"--feature-parts"}, "--input features",
            [&o] { return o.input == "auto" || o.input == "features"; });
  f.go_with({"--input", "--accumulate", "--device-features", "--feature-parts"},
            "architectures other than " + typed_kinds("and"),
            [&o] { return !conv_kind(o.network.kind).typed; });
  f.go_with({"--seed-type", "--relation"}, "--architecture " + typed_kinds("or"),
            [&o] { return o.open_settings || o.open_kind || conv_kind(o.network.kind).typed; });
  f.go_with({"--split", "--seed-type"}, "--task nodes", [&o] { return o.task == "nodes"; });
  f.go_with(
      {"--fanouts", "--semantics", "--method", "--replace", "--table", "--eval-fanouts", "--task",
       "--device-features", "--feature-parts"},
      "sampled neighbourhoods, not with --architecture sign, sagn or hoga, which sample nothing",
      [&o] { return !conv_kind(o.network.kind).reads_hops; });
}

}  // namespace

void describe_train(const OptionFields& fields, TrainOptions& o) {
  fields.add("graph", o.graph, "graph file written by import or generate")
      .required()
      .metavar("GRAPH")
      .keeps_result();  // its fingerprint is compared instead
  fields.add("-o,--output", o.model, "model file to write")
      .required()
      .metavar("FILE")
      .keeps_result();
  add_task_options(fields, o);
  add_network_options(fields, o);
  describe_sampling(fields, o.sampling, true);
  add_training_options(fields, o);
  describe_residence(fields, o.residence, true);
  fields
      .add("--device-features", o.device_features, kDeviceFeaturesNames,
           "where features are stored while a device trains. device: in its memory. pinned: in the "
           "host's memory, from which the device reads. batches: they are copied with each "
           "mini-batch. auto: the first of these that fits; batches if features are in a file")
      .keeps_result();
  add_feature_parts(fields, o.features);
  add_train_conditions(fields, o);
}

namespace {

/// True if no option changes the result but those that a choice of the architecture respects.
bool leaves_all(TrainOptions o) {
  TrainOptions plain;
  plain.open_settings = plain.open_activation = plain.open_head_layers = true;
  plain.open_input_size = true;
  const auto texts = [](TrainOptions& options) {
    const OptionFields fields;
    describe_train(fields, options);
    OptionTexts all = result_options(fields);
    std::erase_if(all, [](const OptionText& option) {
      return option.name == "--split" || option.name == "--metric" || option.name == "--input" ||
             option.name == "--input-size" || option.name == "--edge-weights" ||
             option.name == "--seed-type";
    });
    return all;
  };
  return texts(o) == texts(plain);
}

/// True if that holds but for the options of the task and of its length.
bool leaves_all_but_task(TrainOptions o) {
  const TrainOptions plain;
  o.task = plain.task;
  o.links = {};
  o.epochs = plain.epochs;
  o.patience = plain.patience;
  o.eval_every = plain.eval_every;
  o.steps = plain.steps;
  o.batch_size = plain.batch_size;
  return leaves_all(o);
}

}  // namespace

TrainOptions decided(TrainOptions o) {
  if (o.open_settings && leaves_all(o)) return o;
  o.open_but_task = o.open_settings && leaves_all_but_task(o);
  o.open_kind = o.open_settings;
  o.open_settings = false;
  if (o.open_activation) o.network.activation = conv_kind(o.network.kind).activation;
  o.open_activation = false;
  if (o.open_input_size) {
    const bool is_wide = o.network.kind == "hgt";
    o.input_size = conv_kind(o.network.kind).typed
                       ? o.network.hidden * (is_wide ? o.network.heads : 1)
                       : TrainOptions().input_size;
  }
  const bool reads_hops = conv_kind(o.network.kind).reads_hops;
  if (o.open_head_layers) o.network.head_layers = reads_hops ? 1 : 0;
  o.open_head_layers = false;
  if (reads_hops) o.sampling.fanouts = "1";  // of a graph without edges
  if (o.batch_norm) o.network.norm = NormKind::batch;
  o.batch_norm = false;
  return o;
}

OptionTexts training_options(TrainOptions o) {
  return run_options(o, describe_train, o.network.precision);
}

}  // namespace frugal::gnn
