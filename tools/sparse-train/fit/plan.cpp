#include "tools/sparse-train/fit/plan.h"

#include <algorithm>
#include <cmath>
#include <sstream>

#include "libcore/base/error.h"
#include "libcore/base/text.h"
#include "libcore/nn/optimizer_rules.h"
#include "tools/sparse-train/network/network.h"
#include "tools/sparse-train/settings/train_fields.h"

namespace frugal::sparse {
namespace {

/// Most labels for which all outputs are computed for every example: sampled outputs are not faster
/// then.
constexpr std::uint32_t kDenseLabels = 2000;
/// kDenseLabels on a device, by a calculation that no GPU has confirmed: products of a batch of
/// 4,096 with 670,000 labels of 128 units take 5 ms at 400 TFLOP/s, and reading their rows and
/// state 0.4 ms. On 32,000 generated labels, P@1 is 3.4 points higher than with sampled outputs.
constexpr std::uint32_t kDeviceDenseLabels = 1000000;
/// Most labels for which a network beside label trees improves accuracy.
constexpr std::uint32_t kHybridLabels = 1000;
/// Most labels for which a linear network has 15 and 31 hidden units: with optimiser state, one and
/// two cache lines for each feature.
constexpr std::uint32_t kFewLabels = 16;
constexpr std::uint32_t kSomeLabels = 256;
/// Units of a network on columns of numbers, which follow their interactions (ReLU), and examples
/// from which on there are more: on 25 tables such a network is right in 83.4 % instead of
/// 82.5, on two of 28,000 and 54,000 rows the larger one in 79.8 instead of 79.3.
constexpr std::uint32_t kNumberUnits = 31, kMoreNumberUnits = 63;
constexpr std::size_t kManyRows = 20000;
/// Fewest examples of multi-label data for five epochs instead of ten.
constexpr std::size_t kManyExamples = 300000;
/// Fewest labels for 128 hidden units: rows of labels then take most of the memory.
constexpr std::uint32_t kHugeLabels = 200000;
/// Fewest labels for each example for which one-vs-all is better with sampled outputs, too (7.9
/// labels: worse; 9.9: 6 points better at P@1).
constexpr double kManyLabelsEach = 9;

bool is_adam(const Plan& plan) {
  return optimizer_from_name(plan.optimizer) == OptimizerKind::adam;
}
bool is_linear(const Plan& plan) {
  return activation_from_name(plan.activation) == Activation::linear;
}
bool is_one_vs_all(const Plan& plan) { return loss_from_name(plan.loss) == LossKind::one_vs_all; }

/// Sets what is left open; false if nothing is.
bool decide(std::string& setting, std::string_view choice) {
  if (setting != "auto") return false;
  setting = choice;
  return true;
}

template <class... Parts>
std::string line(const Parts&... parts) {
  std::ostringstream text;
  (text << ... << parts);
  return text.str();
}

/// Up to so many labels in all examples classifiers had better not follow each: a cost of 0.5
/// instead of 1 gives one to two points of P@3 at 12,000 to 19,000, costs a point of PSP at
/// 170,000.
constexpr double kFewOccurrences = 50000;
/// From here on a tree takes more than a gigabyte.
constexpr std::uint32_t kBigTreeLabels = 300000;
/// Up to so many features (64 MB of centres) a root may have clusters of any size.
constexpr std::uint32_t kClusterFeatures = 1000000;
constexpr std::uint32_t kRootClusters = 64;

bool many_each(const DataFacts& facts) { return facts.labels_per_example >= kManyLabelsEach; }
bool is_big(const DataFacts& facts) { return facts.labels >= kBigTreeLabels; }

std::uint32_t leaf_size(const DataFacts& facts) {
  if (!many_each(facts)) return 100;
  return facts.labels <= kDenseLabels ? kDenseLabels : is_big(facts) ? 100 : 200;
}

/// Trees of one node alone are all the same. On held-out parts of four sets, a fourth tree changes
/// P@1 by 0.1 points at most. Where examples have many labels, eight trees gain 0.3 on three.
std::uint32_t num_trees(const DataFacts& facts, std::uint32_t leaf) {
  if (facts.labels <= leaf) return 1;
  return is_big(facts) ? 2 : many_each(facts) ? 8 : 3;
}

/// How many trees of what shape, measured on held-out parts of the training data. Examples with
/// many labels go down most ways of a tree: with up to some 1,000 labels classifiers without a tree
/// are more accurate, with more large leaves. Else every other tree is deeper, for variety, and the
/// others have a root of clusters of any size, beyond 2,000 labels: 0.4 to 0.6 points of P@1 on
/// debian-depends and yso-finna-en, 0.1 on wordnet-hypernyms; of citeulike-t, with many labels
/// each, it takes 0.4, of bibtex 0.5.
void choose_shape(const DataFacts& facts, Plan& plan) {
  ForestOptions& forest = plan.forest;
  ClusterOptions& clusters = forest.clusters;
  if (clusters.leaf_size == 1)
    fail(ExitStatus::usage, "--leaf-size is 1, expected 0 or at least 2");
  const bool open = forest.trees == 0 || clusters.leaf_size == 0;
  if (clusters.leaf_size == 0) clusters.leaf_size = leaf_size(facts);
  if (forest.trees == 0) forest.trees = num_trees(facts, clusters.leaf_size);
  const bool varied = !many_each(facts) && !is_big(facts);
  if (forest.second_arity == 0) forest.second_arity = varied ? 2 : clusters.arity;
  if (clusters.root_clusters == 0) {
    const bool any_size =
        varied && facts.labels > kDenseLabels && facts.features <= kClusterFeatures;
    clusters.root_clusters = any_size ? kRootClusters : 1;
  }
  if (!open) return;
  plan.reasons.push_back(line("trees ", forest.trees, ", leaves of up to ", clusters.leaf_size,
                              " labels: ", format_number(facts.labels_per_example, 3),
                              " labels an example, ", facts.labels, " labels"));
}

void choose_trees(const DataFacts& facts, Plan& plan) {
  NodeTrainerOptions& nodes = plan.forest.nodes;
  if (nodes.prune < 0) nodes.prune = NodeTrainerOptions().prune;
  double& cost = nodes.solver.cost;
  if (cost <= 0) {
    const double occurrences = static_cast<double>(facts.examples) * facts.labels_per_example;
    cost = occurrences < kFewOccurrences ? 0.5 : 1;
    plan.reasons.push_back(line("tree cost ", cost, ": the examples have ", std::round(occurrences),
                                " labels in all"));
  }
  choose_shape(facts, plan);
}

/// Label trees look at features one by one: vectors with most features set would make them slow.
bool trees_help(const DataFacts& facts) {
  return !facts.single_label && facts.features_per_example * 4 <= facts.features;
}

/// Measured on eight sets: up to 983 labels the mean of trees and a network has the best P@1; from
/// 1,930 labels on trees alone are as good or better, at a third of the time or less.
void choose_kinds(const DataFacts& facts, Plan& plan) {
  const bool few = facts.labels <= kHybridLabels;
  if (!trees_help(facts) || (!few && asks_for_network(plan))) {
    plan.architecture = "network";
    return;
  }
  const std::string each = format_number(facts.labels_per_example, 3) + " labels an example, ";
  plan.architecture = few ? "hybrid" : "tree";
  plan.reasons.push_back(
      few ? line("architecture hybrid: ", each, facts.labels,
                 " labels: trees and a network together are more accurate than either")
          : line("architecture tree: ", each, facts.labels,
                 " labels: label trees are as accurate as a network in less time"));
}

void choose_output(const DataFacts& facts, Plan& plan) {
  if (plan.architecture == "auto") choose_kinds(facts, plan);
  if (plan.architecture != "network" && !plan.has_trees()) {
    plan.output = output_from_name(plan.architecture);
    return;
  }
  const bool asks_for_shared = plan.negatives != 0 || plan.label_weights == "bf16";
  const std::uint32_t most_dense =
      plan.on_device && !asks_for_shared ? kDeviceDenseLabels : kDenseLabels;
  plan.output = facts.labels <= most_dense ? OutputKind::dense : OutputKind::shared;
  if (plan.has_trees()) choose_trees(facts, plan);
  if (!plan.has_network()) return;
  const char* const name = plan.has_trees() ? "its network" : "architecture";
  if (!plan.has_trees()) plan.architecture = output_name(plan.output);
  if (plan.output == OutputKind::dense && facts.labels > kDenseLabels) {
    plan.reasons.push_back(line(name, " dense: a device computes all ", facts.labels,
                                " labels for every example as fast as some drawn at random, and "
                                "the model is more accurate"));
    return;
  }
  plan.reasons.push_back(
      plan.output == OutputKind::dense
          ? line(name, " dense: ", facts.labels,
                 " labels are few enough to compute all for every example")
          : line(
                name, " shared: of ", facts.labels,
                " labels a batch computes its own and some drawn at random, as one dense product"));
}

/// Classes are few labels of which an example has one; they need the fewest units.
void choose_hidden(const DataFacts& facts, bool classes, Plan& plan) {
  const bool of_numbers = facts.of_numbers && !is_linear(plan);
  if (classes && of_numbers) {
    plan.hidden = facts.examples < kManyRows ? kNumberUnits : kMoreNumberUnits;
    plan.reasons.push_back(line("hidden ", plan.hidden, ", ", plan.activation,
                                ": one label an example, columns of numbers, ", facts.examples,
                                " examples"));
    return;
  }
  plan.hidden = !classes                      ? facts.labels <= kHugeLabels ? 256 : 128
                : facts.labels <= kFewLabels  ? 15
                : facts.labels <= kSomeLabels ? 31
                                              : 63;
  plan.reasons.push_back(line("hidden ", plan.hidden, ", ", plan.activation, ": ",
                              classes ? "one label an example" : "many labels", ", ", facts.labels,
                              " labels"));
}

std::string reason_of_loss(const DataFacts& facts, const Plan& plan) {
  return line("loss ", plan.loss, ", optimizer ", plan.optimizer, ": ",
              format_number(facts.labels_per_example, 3), " labels an example, ",
              plan.output == OutputKind::dense ? "all" : "some", " of them computed");
}

void choose_network(const DataFacts& facts, Plan& plan) {
  const bool classes = facts.single_label && facts.labels <= kDenseLabels;
  // Outputs looked up are trained as all outputs are.
  const bool dense = plan.output != OutputKind::shared;
  // Adam for every label of every example; with outputs that are there in some batches only,
  // Adagrad is better: on Debian's dependencies (9,916 labels) by 0.9 points after 5 epochs, and
  // takes a third of the memory.
  const OptimizerKind optimizer = !classes && dense ? OptimizerKind::adam : OptimizerKind::adagrad;
  decide(plan.optimizer, optimizer_name(optimizer));
  // A softmax shares its mass among an example's labels: each gets the less, the more there are.
  const bool few = dense && facts.labels <= kDenseLabels;
  const bool one_vs_all = !classes && (few || many_each(facts));
  const bool gives_reason =
      decide(plan.loss, loss_name(one_vs_all ? LossKind::one_vs_all : LossKind::softmax)) &&
      !classes;
  decide(plan.activation,
         activation_name(classes && !facts.of_numbers ? Activation::linear : Activation::relu));
  // Sampled one-vs-all: weights of many for the few drawn make its steps noisy.
  const bool noisy = is_one_vs_all(plan) && !dense;
  if (plan.dropout < 0) plan.dropout = classes ? 0 : noisy ? 0.5 : 0.3;
  if (plan.hidden == 0) choose_hidden(facts, classes, plan);
  if (gives_reason) plan.reasons.push_back(reason_of_loss(facts, plan));
}

/// The rate that was measured best on a last tenth of the training data.
double choose_rate(const DataFacts& facts, const Plan& plan) {
  // Larger batches, fewer examples for each label. P@3 after 5 epochs, 0.005 and 0.01: 46.4
  // and 48.8 on debian-depends (P@1 75.6 and 74.7); P@1 of 5,000 generated labels 68 at 0.007, 73.6
  // at 0.01.
  if (is_adam(plan)) {
    // Weights of labels drawn for many make the steps of Adam shorter: with 15 % of the labels at
    // twice the rate P@1 is that of all labels, at the same rate up to 2.4 points lower.
    const bool noisy = plan.output == OutputKind::lsh && is_one_vs_all(plan);
    return facts.labels > kDenseLabels ? 0.01 : noisy ? 0.006 : 0.003;
  }
  const double labels = facts.labels;
  // Each of many labels has few examples to learn from. For one label an example: 0.05 at 2 to 6
  // labels, 0.1 at 20, 0.1 to 0.2 at 50; for several: 0.05 up to 1,000, 0.1 at 7,000, 0.2 at
  // 25,000.
  // Sampled one-vs-all, 18,000 labels, 10 an example: 0.1 is better than 0.17 by a point.
  if (is_one_vs_all(plan) && plan.output == OutputKind::shared) return 0.1;
  const bool classes = is_linear(plan);
  return std::clamp(classes ? labels / 200 : 0.05 * std::sqrt(labels / 1500), 0.05, 0.2);
}

int choose_epochs(const DataFacts& facts, const Plan& plan) {
  const std::size_t examples = std::max<std::size_t>(1, facts.examples);
  const bool classes = is_linear(plan), adam = is_adam(plan);
  // Some 250,000 examples in all, but not few passes and not many.
  const std::size_t passes = adam      ? std::clamp<std::size_t>(250000 / examples, 5, 20)
                             : classes ? 3
                             : facts.examples < kManyExamples ? 10
                                                              : 5;
  // Few examples are few steps: at least some hundred are needed to get anywhere.
  const std::size_t steps = std::max<std::size_t>(1, examples / plan.batch_size);
  return static_cast<int>(std::clamp<std::size_t>(500 / steps, passes, 50));
}

void choose_steps(const DataFacts& facts, Plan& plan) {
  // Every batch steps the rows of all labels: from some number on that must not be too often.
  const bool small_batches = is_linear(plan) || (is_adam(plan) && facts.labels <= kDenseLabels);
  if (plan.batch_size == 0) plan.batch_size = small_batches ? 64 : 256;
  if (plan.learning_rate <= 0) plan.learning_rate = choose_rate(facts, plan);
  if (plan.epochs == 0) {
    plan.epochs = choose_epochs(facts, plan);
    plan.reasons.push_back(line("epochs ", plan.epochs, ": ", facts.examples, " examples, ",
                                (facts.examples + plan.batch_size - 1) / plan.batch_size,
                                " batches an epoch"));
  }
  if (plan.output != OutputKind::shared) {
    plan.negatives = 0;
  } else if (plan.negatives == 0) {
    plan.negatives = std::min(facts.labels, 1024U);
  }
}

void choose_look_up(const DataFacts& facts, Plan& plan) {
  const LshSettings& lsh = plan.lsh;
  const bool says_active = lsh.active != LshSettings::kAuto || lsh.min_active != LshSettings::kAuto;
  if (plan.output == OutputKind::shared && says_active) {
    plan.reasons.push_back(
        "--lsh-active and --lsh-min-active do nothing with shared outputs: "
        "--negatives says how many labels a batch draws");
  }
  if (plan.uses_tables()) plan.lsh = choose_lsh(lsh, facts.labels).settings;
}

/// Rows kept as bf16 are copied before they are multiplied: where a batch gathers its rows anyway.
void check_label_weights(const Plan& plan) {
  if (plan.label_weights != "bf16") return;
  if (plan.has_network() && plan.output == OutputKind::shared && !plan.uses_tables()) return;
  fail(ExitStatus::usage,
       "--label-weights bf16 is for --architecture shared without hash tables, found ",
       "architecture ", plan.architecture, plan.uses_tables() ? " with hash tables" : "");
}

}  // namespace

bool asks_for_network(const TrainSettings& settings) {
  TrainSettings given = settings, plain;
  // Options of steps alone fit whatever the data choose.
  given.batch_size = plain.batch_size;
  given.schedule = plain.schedule;
  given.warm_up = plain.warm_up;
  given.correct_sampling = plain.correct_sampling;
  given.architecture = plain.architecture = "tree";
  const auto described = [](TrainSettings& s) {
    OptionFields fields;
    describe_network_settings(fields, s);
    describe_lsh(fields, s);
    describe_shards(fields, s);
    return fields;
  };
  return given_without_effect(described(given), described(plain)) != nullptr;
}

OutputKind output_from_name(std::string_view name) {
  if (name == "dense") return OutputKind::dense;
  if (name == "shared") return OutputKind::shared;
  if (name == "lsh") return OutputKind::lsh;
  fail(ExitStatus::usage, "unknown architecture '", name,
       "', expected auto, dense, shared, lsh, tree or hybrid");
}

std::string_view output_name(OutputKind kind) {
  return kind == OutputKind::dense ? "dense" : kind == OutputKind::shared ? "shared" : "lsh";
}

DataFacts facts_of(const Dataset& data) {
  DataFacts facts;
  facts.examples = data.size();
  facts.features = data.num_features;
  facts.labels = data.num_labels;
  const double n = static_cast<double>(std::max<std::size_t>(1, data.size()));
  facts.features_per_example = static_cast<double>(data.features.size()) / n;
  facts.labels_per_example = static_cast<double>(data.labels.size()) / n;
  facts.single_label = true;
  for (std::size_t i = 0; i < data.size(); ++i) facts.single_label &= data.labels_of(i).size() <= 1;
  return facts;
}

Plan plan_training(const TrainSettings& settings, const DataFacts& facts) {
  Plan plan;
  static_cast<TrainSettings&>(plan) = settings;
  choose_output(facts, plan);
  if (plan.has_network()) {
    choose_network(facts, plan);
    choose_steps(facts, plan);
    choose_look_up(facts, plan);
  }
  check_label_weights(plan);
  return plan;
}

}  // namespace frugal::sparse
