#include <CLI/CLI.hpp>

#include "tools/sparse-train/options_training.h"

namespace frugal::sparse {

void add_tree_options(CLI::App& app, TrainSettings& settings) {
  ForestOptions& o = settings.forest;
  constexpr char kGroup[] = "Label trees (--output tree, hybrid)";
  app.add_option("--trees", settings.trees,
                 "trees whose probabilities are averaged; 0 = by the data")
      ->check(CLI::Range(0, 1000))
      ->group(kGroup);
  app.add_option("--tree-arity", o.clusters.arity,
                 "children of an inner node: half of it to twice as many")
      ->check(CLI::Range(2, 4096))
      ->group(kGroup);
  app.add_option("--tree-second-arity", settings.second_arity,
                 "the same of every other tree, for variety; 0 = by the data")
      ->check(CLI::Range(0, 4096))
      ->group(kGroup);
  app.add_option("--tree-root-clusters", settings.root_clusters,
                 "clusters of any size below the root of the other trees, whose children are the "
                 "leaves; 1 = as their arity says; 0 = by the data")
      ->check(CLI::Range(0, 4096))
      ->group(kGroup);
  app.add_option("--leaf-size", settings.leaf_size, "most labels of a leaf; 0 = by the data")
      ->check(CLI::Range(0, 65536))
      ->group(kGroup);
  app.add_option("--tree-depth", o.clusters.depth,
                 "levels of inner nodes; 0 = as arity and leaf size say")
      ->check(CLI::Range(0, 32))
      ->group(kGroup);
  app.add_option("--beam", o.beam, "nodes of a level that a search goes on from")
      ->check(CLI::Range(1, 1000000))
      ->group(kGroup);
  app.add_option("--tree-cost", settings.tree_cost,
                 "C: what an error costs a classifier; 0 = by the data")
      ->check(CLI::Range(0.0, 1e6))
      ->group(kGroup);
  app.add_option("--tree-tolerance", o.nodes.solver.tolerance,
                 "spread of the dual's gradients at which a classifier is done")
      ->check(CLI::Range(1e-6, 10.0))
      ->group(kGroup);
  app.add_option("--tree-sweeps", o.nodes.solver.max_sweeps,
                 "most passes over the examples of a classifier")
      ->check(CLI::Range(1, 100000))
      ->group(kGroup);
  app.add_option("--tree-prune", settings.tree_prune,
                 "weights closer to 0 are dropped; -1 = by the data (--search), else 0.1")
      ->check(CLI::Range(-1.0, 100.0))
      ->group(kGroup);
  app.add_option("--tree-bias", o.nodes.bias, "value of the feature that every example has")
      ->check(CLI::Range(0.0, 100.0))
      ->group(kGroup);
}

}  // namespace frugal::sparse
