#include "tools/sparse-train/settings/train_fields.h"

#include "libcore/nn/optimizer_rules.h"
#include "libcore/train/training_fields.h"
#include "tools/sparse-train/lsh/signatures.h"
#include "tools/sparse-train/network/network.h"
#include "tools/sparse-train/settings/feature_fields.h"

namespace frugal::sparse {

void describe_trees(const OptionFields& fields, TrainSettings& s) {
  const OptionFields f = fields.group("Label trees (--architecture tree, hybrid)")
                             .going_with("--architecture tree, hybrid or auto", [&s] {
                               return s.has_trees() || s.architecture == "auto";
                             });
  ForestOptions& o = s.forest;
  f.add("--trees", o.trees,
        "number of trees, whose probabilities are averaged; more are more accurate and take more "
        "time. auto: by the data")
      .range(1, 1000)
      .automatic(o.trees, 0);
  f.add("--tree-arity", o.clusters.arity,
        "number of children of an inner node; a node has half of it to twice as many")
      .range(2, 4096);
  f.add("--tree-second-arity", o.second_arity,
        "number of children of an inner node in the 2nd, 4th, ... tree, so that trees differ. "
        "auto: by the data")
      .range(1, 4096)
      .automatic(o.second_arity, 0);
  f.add("--tree-root-clusters", o.clusters.root_clusters,
        "in the 1st, 3rd, ... tree, number of children of the root, which are clusters of labels "
        "of any size and have the leaves as children. 1: these trees have the shape of "
        "--tree-arity, too. auto: by the data")
      .range(1, 4096)
      .automatic(o.clusters.root_clusters, 0);
  f.add("--leaf-size", o.clusters.leaf_size,
        "maximum number of labels in a leaf; auto: by the data")
      .range(1, 65536)
      .automatic(o.clusters.leaf_size, 0);
  f.add("--tree-depth", o.clusters.depth,
        "number of levels of inner nodes; auto: by --tree-arity and --leaf-size")
      .range(1, 32)
      .automatic(o.clusters.depth, 0);
  f.add("--beam", o.beam,
        "number of nodes that the beam search keeps on each level; more are more accurate and "
        "slower")
      .range(1, 1000000);
  f.add("--tree-cost", o.nodes.solver.cost,
        "cost C of an error in training a classifier; larger values regularise less. auto: by "
        "--search, else by the data")
      .range(1e-9, 1e6)
      .automatic(o.nodes.solver.cost, 0);
  f.add("--tree-tolerance", o.nodes.solver.tolerance,
        "tolerance of the solver: a classifier is done when the spread of its dual gradients is "
        "below this")
      .range(1e-6, 10.0);
  f.add("--tree-sweeps", o.nodes.solver.max_sweeps,
        "maximum number of passes over the examples of a classifier")
      .range(1, 100000);
  f.add("--tree-prune", o.nodes.prune,
        "drop weights closer to 0 than this; larger values make smaller models. auto: by --search, "
        "else 0.1")
      .range(0.0, 100.0)
      .automatic(o.nodes.prune, -1);
  f.add("--tree-bias", o.nodes.bias, "value of the bias feature, which every example has")
      .range(0.0, 100.0);
}

namespace {

void describe_outputs_of_example(const OptionFields& f, LshSettings& s) {
  f.add(
       "--lsh-active", s.active,
       "number of labels to compute for an example: its own labels, labels looked up and labels "
       "drawn at random. If --lsh-min-active is given, too, the smaller number counts. For "
       "examples with many labels of their own, more are computed, so that each has random labels. "
       "auto: 15 % of up to 2,000 labels and 0.5 % of the others. 0: all labels that tables find")
      .automatic(s.active, LshSettings::kAuto)
      .goes_with("--lsh-mode agreement, vanilla or top-k", [&s] { return s.mode != "threshold"; });
  f.add("--lsh-min-active", s.min_active,
        "minimum number of labels to compute for an example. If the lookup finds fewer, labels "
        "drawn at random are added. auto: as --lsh-active")
      .automatic(s.min_active, LshSettings::kAuto);
  f.add("--lsh-hard", s.hard,
        "with --architecture shared, number of labels that are also looked up for each example and "
        "computed for its whole batch")
      .range(0, 10000);
}

void describe_random_outputs(const OptionFields& f, LshSettings& s) {
  f.add("--lsh-random", s.random,
        "share of the labels of an example that is drawn at random instead of looked up")
      .range(0.0, 1.0);
  f.add("--lsh-share-random,!--no-lsh-share-random", s.share_random,
        "draw the random labels once for 16 examples instead of for each example");
  f.add("--lsh-correct-sampling,!--no-lsh-correct-sampling", s.correct_sampling,
        "weight the labels drawn at random so that they stand for all labels that were not looked "
        "up; SLIDE does not do this");
}

void describe_look_up(const OptionFields& f, LshSettings& s) {
  f.add("--lsh-mode", s.mode,
        "which labels are looked up for an example. agreement: the ones whose signs of random "
        "projections agree most often with the example's. vanilla: from buckets of hash tables in "
        "random order. top-k: the ones in most tables. threshold: the ones in --lsh-threshold "
        "tables. auto: agreement, or top-k if a hash or an option is given that only tables have")
      .choices({"auto", "agreement", "vanilla", "top-k", "threshold"});
  f.add("--lsh-hash", s.hash,
        "hash functions. simhash, simhash-dense: signs of sparse or dense random projections. wta, "
        "dwta: winner take all, or densified. minhash: minwise hashes of the largest coordinates. "
        "auto: simhash, or dwta with the modes of tables")
      .choices({"auto", "simhash", "simhash-dense", "wta", "dwta", "minhash"});
  f.add("--lsh-bits", s.bits,
        "with --lsh-mode agreement, number of signs stored for a label; more are more accurate and "
        "slower")
      .range(16, int{Signatures::kMostBits})
      .goes_with("--lsh-mode agreement", [&s] { return !s.uses_tables(); });
  f.add("--lsh-center,!--no-lsh-center", s.center,
        "subtract the mean of all labels' weights before hashing");
  f.add("--lsh-threshold", s.threshold,
        "with --lsh-mode threshold, number of tables that a label must be in; auto: 2")
      .range(1, 4096)
      .automatic(s.threshold, 0)
      .goes_with("--lsh-mode threshold", [&s] { return s.mode == "threshold"; });
  f.add("--lsh-rebuild", s.rebuild,
        "number of mini-batches before the signs or tables are first rebuilt; 0: never");
  f.add("--lsh-rebuild-growth", s.rebuild_growth,
        "factor by which the interval between rebuilds grows each time; 1: a fixed interval")
      .range(1.0, 100.0);
  f.add("--lsh-rebuild-steps", s.rebuild_steps,
        "number of mini-batches over which a rebuild is spread")
      .range(1, 1000000);
}

void describe_tables(const OptionFields& f, LshSettings& s) {
  f.add("--lsh-k", s.functions,
        "number of hash functions of a table; auto: by the number of labels")
      .range(1, 32)
      .automatic(s.functions, 0);
  f.add("--lsh-tables", s.tables,
        "number of hash tables; more find more labels and take more time. auto: 50")
      .range(1, 4096)
      .automatic(s.tables, 0);
  f.add("--lsh-range", s.range, "maximum number of buckets of a table, as a power 2^N; auto: 18")
      .range(1, 24)
      .automatic(s.range, 0)
      .metavar("N");
  f.add("--lsh-bucket", s.bucket, "maximum number of labels in a bucket; auto: 128")
      .range(1, 1000000)
      .automatic(s.bucket, 0);
  f.add("--lsh-bucket-policy", s.bucket_policy,
        "what a full bucket keeps. fifo: the labels that came last. reservoir: a random sample of "
        "all. auto: fifo")
      .choices({"auto", "fifo", "reservoir"});
  f.add("--lsh-new-hashes", s.new_hashes,
        "number of rebuilds after which hash functions are drawn anew; 0: never; auto: 20")
      .automatic(s.new_hashes, LshSettings::kAuto);
  f.add("--lsh-freeze-after", s.freeze_after,
        "number of epochs after which tables are not rebuilt; labels that they miss are then "
        "inserted. 0: never");
}

}  // namespace

void describe_lsh(const OptionFields& fields, TrainSettings& s) {
  const OptionFields f = fields.group("Sparse outputs (--architecture lsh, --lsh-hard)")
                             .going_with("--architecture lsh or shared", [&s] {
                               return s.architecture == "lsh" || s.architecture == "shared";
                             });
  describe_outputs_of_example(f, s.lsh);
  const auto is_lsh = [&s] { return s.architecture == "lsh"; };
  describe_random_outputs(f.going_with("--architecture lsh", is_lsh), s.lsh);
  describe_look_up(f, s.lsh);
  const auto uses_tables = [&s] { return s.lsh.uses_tables(); };
  describe_tables(f.going_with("--lsh-mode vanilla, top-k or threshold", uses_tables), s.lsh);
}

namespace {

/// Options of networks. With --architecture auto, the data choose the architecture.
OptionFields of_networks(const OptionFields& f, const TrainSettings& s) {
  return f.going_with("networks, not with --architecture tree", [&s] { return s.has_network(); });
}

void add_architecture(const OptionFields& f, TrainSettings& s) {
  f.add("--architecture", s.architecture,
        "kind of model. dense: a network that computes all outputs. shared: a network that "
        "computes the outputs of its batch and some drawn at random. lsh: a network that computes "
        "the outputs found by hashing. tree: linear label trees. hybrid: the mean of trees and a "
        "network. auto: for texts and tables by --search; else by the number of labels, hybrid or "
        "tree for "
        "several labels an example, dense or shared for one")
      .choices({"auto", "dense", "shared", "lsh", "tree", "hybrid"});
}

void add_network(const OptionFields& f, TrainSettings& s) {
  f.add("--loss", s.loss,
        "loss function. softmax: labels compete. ova: one yes-no decision for each label. auto: by "
        "the data")
      .choices(auto_or({kLossNames.begin(), kLossNames.end()}));
  f.add("--hidden", s.hidden,
        "number of hidden units; more can learn more and take more time. auto: by the data")
      .range(1, 4096)
      .automatic(s.hidden, 0);
  f.add("--layers", s.layers,
        "sizes of further hidden layers in units, separated by commas. Default: none")
      .range(1, 65536);
  f.add("--dropout", s.dropout,
        "probability of dropping a hidden unit in training; auto: by the data")
      .range(0.0, 0.95)
      .automatic(s.dropout, -1);
  f.add("--activation", s.activation, "activation function of the hidden units; auto: by the data")
      .choices(auto_or({kActivationNames.begin(), kActivationNames.end()}));
  f.add("--label-weights", s.label_weights,
        "with --architecture shared, number type of the labels' weights. bf16 takes half of the "
        "memory and file and is rounded at random. It is for so many labels that their weights are "
        "most of the model")
      .choices({"f32", "bf16"});
}

void add_training(const OptionFields& f, TrainSettings& s) {
  add_epochs(f, s.epochs, "number of passes over the training data; auto: by the data")
      .automatic(s.epochs, 0);
  add_batch_size(f, s.batch_size,
                 "number of examples in a mini-batch; larger ones give fewer steps. auto: by the "
                 "data",
                 65536U)
      .automatic(s.batch_size, 0);
  add_learning_rate(f, s.learning_rate, "peak learning rate; auto: by the data")
      .automatic(s.learning_rate, 0);
  f.add("--find-learning-rate", s.find_learning_rate,
        "search for a better learning rate near --learning-rate, in short trainings on part of the "
        "data");
  add_schedule(f, s.schedule);
  add_warm_up(f, s.warm_up);
  add_weight_decay(f, s.weight_decay,
                   "factor of L2 regularisation; each weight times this is added to its gradient, "
                   "in rows that a step updates");
  f.add("--optimizer", s.optimizer,
        "optimisation algorithm. adagrad stores one value for each row of a table, adam two for "
        "each parameter. auto: adam if all outputs of several labels are computed, else adagrad")
      .choices(auto_or(optimizer_names()));
}

void add_sampling(const OptionFields& f, TrainSettings& s) {
  f.add("--negatives", s.negatives,
        "with --architecture shared, number of labels drawn at random for each mini-batch; auto: "
        "by the data")
      .positive()
      .automatic(s.negatives, 0);
  f.add("--correct-sampling,!--no-correct-sampling", s.correct_sampling,
        "with --architecture shared, correct the loss for the probability that a label is drawn");
}

void add_run(const OptionFields& f, TrainOptions& options) {
  add_patience(of_networks(f, options.settings), options.patience,
               "epochs without improvement until early stopping (by P@1 on --validation); the best "
               "epoch is written. 0: train all epochs and write the last")
      .goes_with("--validation", [&options] { return !options.validation.empty(); });
  f.add("--normalize,!--no-normalize", options.normalize,
        "scale the features of each example to length 1");
  f.add("--search,!--no-search", options.search,
        "for texts and tables, choose settings that are not given by races on held-out examples: "
        "n-grams, --min-count, trees or a network, --tree-cost, --tree-prune, --activation");
  f.add("--calibration", options.calibration,
        "fit probabilities and thresholds of labels. held-out: on a fifth of the examples, held "
        "out of a second training or of the search's trial. none: leave scores as they are. auto: "
        "held-out up to 2,000 labels, for label trees and for several labels an example")
      .choices({"auto", "held-out", "none"})
      .goes_with("a new model; that of --init keeps the thresholds that it has",
                 [&options] { return options.init.empty(); });
}

}  // namespace

TrainOptions undecided_options() {
  TrainOptions o;
  o.features.weighting = "auto";
  o.features.word_ngrams = kNgramsByData;
  o.features.char_ngrams = kCharsByData;
  o.features.min_count = 0;
  o.features.text_start = true;
  o.calibration = "auto";
  return o;
}

void describe_train(const OptionFields& fields, TrainOptions& o) {
  fields.add("data", o.data, "file of labelled examples; - is stdin")
      .required()
      .metavar("DATA")
      .keeps_result();  // they are looked at themselves
  fields.add("-o,--output", o.model, "model file to write")
      .required()
      .metavar("FILE")
      .keeps_result();
  fields.add("--validation", o.validation, "file of labelled examples to evaluate after each epoch")
      .metavar("FILE")
      .keeps_result();  // with --patience it is looked at itself
  describe_training_data(fields, o);
  describe_network(fields, o);
  describe_shards(fields, o.settings);
}

void describe_shards(const OptionFields& fields, TrainSettings& s) {
  of_networks(fields.group("Ranks of MPI"), s)
      .add("--label-shards", s.label_shards,
           "number of parts that a network's labels are divided into; ranks store the parts, and a "
           "step sums each part separately. auto: one for each rank")
      .range(1, 1024)
      .automatic(s.label_shards, 0);
}

namespace {

constexpr const char* kNetwork = "Network and training";

}  // namespace

void describe_network_settings(const OptionFields& fields, TrainSettings& s) {
  const OptionFields f = fields.group(kNetwork);
  add_architecture(f, s);
  const OptionFields network = of_networks(f, s);
  add_network(network, s);
  add_training(network, s);
  const auto can_sample = [&s] {
    return s.architecture == "shared" || s.architecture == "hybrid" || s.architecture == "auto";
  };
  add_sampling(f.going_with("--architecture shared, hybrid or auto", can_sample), s);
}

void describe_network(const OptionFields& fields, TrainOptions& options) {
  describe_network_settings(fields, options.settings);
  add_run(fields.group(kNetwork), options);
  describe_lsh(fields, options.settings);
  describe_trees(fields, options.settings);
}

OptionTexts training_options(TrainOptions o) { return run_options(o, describe_train, o.precision); }

}  // namespace frugal::sparse
