#include "tools/sparse-train/train_fields.h"

namespace frugal::sparse {

void describe_trees(const OptionFields& fields, TrainSettings& settings) {
  const OptionFields f = fields.group("Label trees (--architecture tree, hybrid)");
  ForestOptions& o = settings.forest;
  f.add("--trees", settings.trees, "trees whose probabilities are averaged")
      .range(1, 1000)
      .automatic(settings.trees, 0);
  f.add("--tree-arity", o.clusters.arity, "children of an inner node: half of it to twice as many")
      .range(2, 4096);
  f.add("--tree-second-arity", settings.second_arity, "the same of every other tree, for variety")
      .range(1, 4096)
      .automatic(settings.second_arity, 0);
  f.add("--tree-root-clusters", settings.root_clusters,
        "clusters of any size below the root of the other trees, whose children are the "
        "leaves; 1 = as their arity says")
      .range(1, 4096)
      .automatic(settings.root_clusters, 0);
  f.add("--leaf-size", settings.leaf_size, "most labels of a leaf")
      .range(1, 65536)
      .automatic(settings.leaf_size, 0);
  f.add("--tree-depth", o.clusters.depth, "levels of inner nodes; auto = by arity and leaf size")
      .range(1, 32)
      .automatic(o.clusters.depth, 0);
  f.add("--beam", o.beam, "nodes of a level that a search goes on from").range(1, 1000000);
  f.add("--tree-cost", settings.tree_cost, "C: what an error costs a classifier")
      .range(1e-9, 1e6)
      .automatic(settings.tree_cost, 0);
  f.add("--tree-tolerance", o.nodes.solver.tolerance,
        "spread of the dual's gradients at which a classifier is done")
      .range(1e-6, 10.0);
  f.add("--tree-sweeps", o.nodes.solver.max_sweeps, "most passes over the examples of a classifier")
      .range(1, 100000);
  f.add("--tree-prune", settings.tree_prune,
        "weights closer to 0 are dropped; auto = by --search, else 0.1")
      .range(0.0, 100.0)
      .automatic(settings.tree_prune, -1);
  f.add("--tree-bias", o.nodes.bias, "value of the feature that every example has")
      .range(0.0, 100.0);
}

}  // namespace frugal::sparse
