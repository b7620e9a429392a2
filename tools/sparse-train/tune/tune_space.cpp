#include "tools/sparse-train/tune/tune_space.h"

#include <algorithm>
#include <cmath>

#include "libcore/base/error.h"
#include "libcore/base/rng.h"
#include "libcore/base/text.h"
#include "tools/sparse-train/settings/feature_fields.h"
#include "tools/sparse-train/settings/train_fields.h"
#include "tools/sparse-train/text/featurizer.h"

namespace frugal::sparse {
namespace {

/// The options of training that settings are drawn for, by name.
OptionFields described(TrainOptions& options) {
  OptionFields fields;
  describe_features(fields, options.features);
  describe_network(fields, options);
  return fields;
}

/// Estimated sweeps of the solver of linear classifiers at a cost of 1.
constexpr double kSweeps = 10;
/// Estimated character n-grams for each word.
constexpr double kCharactersOfWord = 8;

/// Estimated n-grams for each word.
double grams(const FeatureOptions& options) {
  const FeatureOptions f = with_default_ngrams(options);
  return f.word_ngrams + (f.char_ngrams.empty() || f.char_ngrams == "none" ? 0 : kCharactersOfWord);
}

double tree_cost(const ForestOptions& forest, const DataFacts& facts, double features) {
  // Number of classifiers trained on an example: those of the leaves that it reaches, or all.
  const double leaves = facts.labels_per_example * forest.clusters.leaf_size;
  const double nodes = std::min(static_cast<double>(facts.labels), 100 + leaves);
  return forest.trees * nodes * features * kSweeps * std::sqrt(forest.nodes.solver.cost);
}

double network_cost(const Plan& plan, const DataFacts& facts, double features) {
  const double outputs = plan.output == OutputKind::dense ? facts.labels
                         : plan.output == OutputKind::lsh ? plan.lsh.min_active
                                                          : plan.negatives;
  return plan.epochs * static_cast<double>(plan.hidden) * (2 * features + 3 * outputs);
}

}  // namespace

double estimated_cost(const TrainOptions& fixed, const Settings& settings, const DataFacts& facts) {
  TrainOptions options = fixed;
  apply_settings(settings, options);
  const double features =
      facts.features_per_example * grams(options.features) / std::max(1.0, grams(fixed.features));
  const Plan plan = plan_training(options.settings, facts);
  double cost = 0;
  if (plan.has_trees()) cost += tree_cost(plan.forest, facts, features);
  if (plan.has_network()) cost += network_cost(plan, facts, features);
  return cost * static_cast<double>(facts.examples);
}

namespace {

/// Up to here computing all outputs is worth a try where the planner would sample them.
constexpr std::uint32_t kMostDenseLabels = 20000;
/// From here on label trees are.
constexpr std::uint32_t kTreeLabels = 100;
/// From here on outputs that are looked up are, and as hard ones for a batch so many an example.
constexpr std::uint32_t kSparseLabels = 2000;
constexpr const char* kHardLabels = "10";
constexpr const char* kSharedHard = "shared with hard labels";

/// Draws one value after the other for the options that `fixed` leaves open.
class Draw {
 public:
  Draw(const TrainOptions& fixed, std::uint64_t seed, int number)
      : options_(fixed),
        fields_(described(options_)),
        rng_(seed, kStream, static_cast<std::uint64_t>(number)) {}

  template <class T>
  const T& one_of(const std::vector<T>& values) {
    return values[rng_.below(values.size())];
  }
  /// Between low and high, evenly on a log scale, to two digits.
  double log_uniform(double low, double high) {
    const double value = std::exp(rng_.uniform(std::log(low), std::log(high)));
    return parse_number<double>(format_number(value, 2)).value_or(value);
  }
  /// Sets an option unless `fixed` does.
  void set(const std::string& name, std::string value) {
    if (fields_.field("--" + name).texts() == std::vector<std::string>{"auto"})
      drawn.emplace_back(name, std::move(value));
  }

  Settings drawn;

 private:
  static constexpr std::uint64_t kStream = 0x71;
  TrainOptions options_;
  OptionFields fields_;
  Rng rng_;
};

void draw_features(Draw& draw) {
  const std::string words = std::to_string(draw.one_of<int>({1, 2, 2, 3}));
  const std::string count = std::to_string(draw.one_of<int>({1, 2, 2, 3}));
  const std::string chars = draw.one_of<std::string>({"", "", "3:5"});
  draw.set("word-ngrams", words);
  draw.set("min-count", count);
  if (!chars.empty()) draw.set("char-ngrams", chars);
}

/// Draws the kind of output. Returns true if it is trees alone, so that network settings do not
/// matter.
bool draw_output(const TrainSettings& fixed, const Plan& planned, const DataFacts& facts,
                 bool sparse, Draw& draw) {
  if (fixed.architecture != "auto") return fixed.architecture == "tree";
  std::vector<std::string> kinds(3, planned.architecture);
  // Only kinds in which the user's settings have an effect are drawn.
  const bool network = asks_for_network(fixed) || fixed.batch_size != 0;
  const bool trees = fixed.forest.trees != 0 || fixed.forest.nodes.solver.cost > 0 ||
                     fixed.forest.nodes.prune >= 0;
  if (facts.labels <= kMostDenseLabels && !trees) kinds.emplace_back("dense");
  if (!facts.single_label && facts.labels >= kTreeLabels && !network) kinds.emplace_back("tree");
  if (facts.labels >= kSparseLabels && !trees && !fixed.on_device) {
    kinds.insert(kinds.end(), {"lsh", "shared", kSharedHard});
  }
  // Linear classifiers of text are as good as networks, and cheap.
  if (!sparse && !network) kinds.insert(kinds.end(), 3, "tree");
  const std::string& kind = draw.one_of(kinds);
  const bool hard = kind == kSharedHard;
  draw.set("architecture", hard ? "shared" : kind);
  if (hard) draw.drawn.emplace_back("lsh-hard", kHardLabels);
  return kind == "tree";
}

void draw_trees(Draw& draw) {
  const double cost = draw.log_uniform(0.25, 8);
  const std::string prune = draw.one_of<std::string>({"0", "0.1"});
  draw.set("tree-cost", format_number(cost));
  draw.set("tree-prune", prune);
}

void draw_network(const Plan& planned, Draw& draw) {
  const double rate = draw.log_uniform(planned.learning_rate / 4, planned.learning_rate * 4);
  // 0: the planner's number for the examples that there are, more passes over fewer.
  const int epochs = draw.one_of<int>({0, 0, std::max(1, planned.epochs / 2), 2 * planned.epochs});
  const std::uint32_t hidden = draw.one_of<std::uint32_t>(
      {planned.hidden, planned.hidden, 2 * planned.hidden + 1, std::max(7U, planned.hidden / 2)});
  const std::string loss = draw.one_of<std::string>({planned.loss, planned.loss, "ova"});
  const std::uint32_t batch =
      draw.one_of<std::uint32_t>({planned.batch_size, planned.batch_size, 2 * planned.batch_size});
  draw.set("learning-rate", format_number(rate));
  if (epochs != 0) draw.set("epochs", std::to_string(epochs));
  draw.set("hidden", std::to_string(hidden));
  draw.set("loss", loss);
  draw.set("batch-size", std::to_string(batch));
}

}  // namespace

Settings draw_settings(const TrainOptions& fixed, const Plan& planned, const DataFacts& facts,
                       bool sparse, std::uint64_t seed, int number) {
  Draw draw(fixed, seed, number);
  if (!sparse) draw_features(draw);
  if (draw_output(fixed.settings, planned, facts, sparse, draw)) {
    draw_trees(draw);
  } else {
    TrainOptions drawn = fixed;
    apply_settings(draw.drawn, drawn);
    draw_network(plan_training(drawn.settings, facts), draw);
  }
  return draw.drawn;
}

void apply_settings(const Settings& settings, TrainOptions& options) {
  const OptionFields fields = described(options);
  for (const auto& [name, value] : settings) {
    if (!fields.field("--" + name).store({value}))
      fail(ExitStatus::internal, "--", name, " ", value, " was drawn");
  }
}

}  // namespace frugal::sparse
