#include "tools/gnn-sample/settings/train_fields.h"

#include "libcore/train/accumulation.h"
#include "libcore/train/training_fields.h"
#include "tools/gnn-sample/settings/sampling_options.h"

namespace frugal::gnn {
namespace {

constexpr char kNetwork[] = "Network";
constexpr char kTraining[] = "Training";
constexpr char kTask[] = "Task";

void add_network_options(const OptionFields& fields, TrainOptions& o) {
  const OptionFields f = fields.group(kNetwork);
  GnnOptions& n = o.network;
  f.add("--architecture", n.kind, kGnnKindNames,
        "kind of network: sage: GraphSAGE; gcn; gat; gin; sage-ri: GraphSAGE with residual "
        "connections and all layers read at the end");
  describe_network(f, n);
  f.field("--activation").automatic(o.open_activation);
}

void add_task_options(const OptionFields& fields, TrainOptions& o) {
  const OptionFields f = fields.group(kTask);
  f.add("--task", o.task,
        "what to learn: nodes: their classes; links: embeddings whose dot product separates "
        "edges from random pairs of nodes")
      .choices({"nodes", "links"});
  f.add("--embedding", o.links.embedding, "links: numbers of a node's embedding").range(1, 65536);
  f.add("--held-out", o.links.held_out,
        "links: share of the edges for validation and test, which models do not see")
      .range(0.0, 0.9);
  f.add("--negatives", o.links.negatives,
        "links: pairs to train on for each edge, its target replaced by any node")
      .range(1, 1000);
  f.add("--eval-negatives", o.links.eval_negatives,
        "links: pairs with other nodes among which each held-out edge is ranked")
      .range(1, 100000);
}

void add_training_options(const OptionFields& fields, TrainOptions& o) {
  const OptionFields f = fields.group(kTraining);
  add_batch_size(f, o.batch_size, "training nodes, or links, of a mini-batch", 1U << 24);
  add_accumulate(f, o.accumulate, "mean gradient");
  add_epochs(f, o.epochs, "passes over the training nodes");
  add_optimizer(f, o.optimizer);
  add_learning_rate(f, o.learning_rate, "highest learning rate", 0);
  add_schedule(f, o.schedule);
  add_warm_up(f, o.warm_up);
  add_weight_decay(f, o.network.weight_decay);
  f.add("--decay-first-only", o.network.decay_first_only,
        "decay the first layer's weights only, as GCN's authors do");
  add_patience(f, o.patience);
  f.add("--metric", o.select,
        "validation metric that chooses the epoch; auc is for two classes and links; with links "
        "accuracy is the mean reciprocal rank")
      .choices({"accuracy", "auc", "loss"});
  f.add("--eval-every", o.eval_every, "epochs from one validation to the next").range(1, 1000000);
  f.add("--eval-fanouts", o.eval_fanouts, "neighbours to draw for validation and test; \"\" = all");
  add_steps(f, o.steps);
  f.add("--split", o.split, "number of the split, where the graph has several");
}

void add_feature_parts(const OptionFields& fields, FeaturePartsOptions& o) {
  fields
      .add("--feature-parts", o.parts,
           "several ranks: each keeps the features of its own nodes and a cache of others in "
           "memory. "
           "even: nodes are dealt in turn, 256 at a time; FILE: as `gnn-sample partition` wrote, "
           "with as many parts as ranks or a multiple; \"\": each rank has all features")
      .metavar("even|FILE")
      .keeps_result();
  fields
      .add("--feature-cache", o.cache,
           "rows of other ranks that a rank keeps, those most probable in a mini-batch, as a share "
           "of its own rows")
      .range(0.0, 1e6)
      .keeps_result()
      .goes_with("--feature-parts", [&o] { return !o.parts.empty(); });
}

/// What an option needs to do something.
void add_train_conditions(const OptionFields& f, const TrainOptions& o) {
  f.go_with({"--aggregate"}, "--architecture sage",
            [&o] { return o.network.kind == GnnKind::sage; });
  f.go_with({"--heads", "--output-heads", "--attention-dropout"}, "--architecture gat",
            [&o] { return o.network.kind == GnnKind::gat; });
  f.go_with({"--train-epsilon"}, "--architecture gin",
            [&o] { return o.network.kind == GnnKind::gin; });
  f.go_with({"--head-layers"}, "models but sage-ri",
            [&o] { return o.network.kind != GnnKind::sage_ri; });
  f.go_with({"--decay-first-only"}, "--weight-decay", [&o] { return o.network.weight_decay > 0; });
  f.go_with({"--embedding", "--held-out", "--negatives", "--eval-negatives"}, "--task links",
            [&o] { return o.task == "links"; });
  f.go_with({"--split"}, "--task nodes", [&o] { return o.task == "nodes"; });
}

}  // namespace

void describe_train(const OptionFields& fields, TrainOptions& o) {
  fields.add("graph", o.graph, "graph of import or generate")
      .required()
      .metavar("GRAPH")
      .keeps_result();  // it is looked at itself
  fields.add("-o,--output", o.model, "file for the model")
      .required()
      .metavar("FILE")
      .keeps_result();
  add_task_options(fields, o);
  add_network_options(fields, o);
  describe_sampling(fields, o.sampling, false);
  add_training_options(fields, o);
  describe_residence(fields, o.residence);
  fields
      .add("--device-features", o.device_features, kDeviceFeaturesNames,
           "where features lie while a device trains: device: in its memory; pinned: in the "
           "host's, read by the device; batches: copied with each mini-batch; auto: the first of "
           "these that fits, batches where they are in a file")
      .keeps_result();
  add_feature_parts(fields, o.features);
  add_train_conditions(fields, o);
}

TrainOptions decided(TrainOptions o) {
  if (o.open_activation && o.network.kind == GnnKind::gat) {
    o.network.activation = ActivationKind::elu;
  } else if (o.open_activation && o.network.kind == GnnKind::sage_ri) {
    o.network.activation = ActivationKind::leaky_relu;
  }
  o.open_activation = false;
  return o;
}

OptionTexts training_options(TrainOptions o) {
  return run_options(o, describe_train, o.network.precision);
}

}  // namespace frugal::gnn
