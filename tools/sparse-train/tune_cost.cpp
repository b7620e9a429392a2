#include "tools/sparse-train/tune_cost.h"

#include <algorithm>
#include <cmath>

#include "tools/sparse-train/tune_space.h"

namespace frugal::sparse {
namespace {

/// Sweeps of a solver of linear classifiers at a cost of 1.
constexpr double kSweeps = 10;
/// Of n-grams of characters, beside one for each word.
constexpr double kCharactersOfWord = 8;

/// n-grams a word.
double grams(const FeatureOptions& options) {
  const FeatureOptions f = with_default_ngrams(options);
  return f.word_ngrams + (f.char_ngrams.empty() || f.char_ngrams == "none" ? 0 : kCharactersOfWord);
}

double tree_cost(const ForestOptions& forest, const DataFacts& facts, double features) {
  // Classifiers that see an example: those of the leaves that it comes to, or all.
  const double leaves = facts.labels_per_example * forest.clusters.leaf_size;
  const double nodes = std::min(static_cast<double>(facts.labels), 100 + leaves);
  return forest.trees * nodes * features * kSweeps * std::sqrt(forest.nodes.solver.cost);
}

double network_cost(const Plan& plan, const DataFacts& facts, double features) {
  const double outputs = plan.output == OutputKind::dense ? facts.labels : plan.negatives;
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
  if (plan.tree) cost += tree_cost(plan.forest, facts, features);
  if (plan.network) cost += network_cost(plan, facts, features);
  return cost * static_cast<double>(facts.examples);
}

}  // namespace frugal::sparse
