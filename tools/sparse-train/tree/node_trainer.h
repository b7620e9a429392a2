#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "tools/sparse-train/tree/dual_solver.h"
#include "tools/sparse-train/tree/label_tree.h"
#include "tools/sparse-train/tree/node_examples.h"
#include "tools/sparse-train/tree/tree_examples.h"

namespace frugal::sparse {

struct NodeTrainerOptions {
  SolverOptions solver;
  double bias = 1;     ///< value of a constant feature of all examples; 0 = none
  double prune = 0.1;  ///< weights closer to 0 are left out
  std::uint64_t seed = 0;
  // For trees that are trained further:
  double new_share = 1;   ///< share of the new examples among all that the trees were trained on
  double known_cost = 1;  ///< factor of solver.cost for classifiers of known labels
  double fresh_cost = 1;  ///< factor of solver.cost for classifiers of new labels
};

/// Start of a tree's classifiers, which also regularises them.
struct TreeStart {
  const LabelTree& tree;
  const std::vector<bool>& fresh;  ///< as in ForestStart, for each slot
};

/// Trained classifiers of some children of a node.
struct NodePart {
  struct Weight {
    std::uint32_t row = 0;
    ChildWeight weight;
  };
  std::vector<float> bias;                    ///< for each child, from the part's first on
  std::vector<std::uint32_t> feature_of_row;  ///< equal in all parts of a node
  std::vector<Weight> weights;                ///< children ascend within each row

  std::size_t num_bytes() const {
    return sizeof(Weight) * weights.size() + 4 * (bias.size() + feature_of_row.size());
  }
};

/// Trains the classifiers of a tree's nodes, on one thread. Each thread needs its own object.
class NodeTrainer {
 public:
  /// All arguments must outlive the object. start: of a tree with the same shape, whose features
  /// `source` knows.
  NodeTrainer(const TreeExamples& examples, NodeSource& source, const NodeTrainerOptions& options,
              const std::optional<TreeStart>& start = std::nullopt);

  /// Trains the classifiers of children [child_begin, child_end) of `node`.
  NodePart train(std::uint32_t node, std::uint32_t child_begin, std::uint32_t child_end);
  /// Takes back the weights of a part, to store the weights of later ones in their memory. The
  /// part keeps its biases.
  void recycle(NodePart& part);

 private:
  struct Positive {
    std::uint32_t child;
    std::uint32_t example;  ///< index among the node's examples
  };
  /// known: for children that lead to known labels. fresh: for the others, if any.
  struct Solvers {
    DualSolver known;
    std::optional<DualSolver> fresh;
  };
  bool is_fresh(std::uint32_t node, std::uint32_t child) const {
    return start_->fresh[start_->tree.shape.slot_begin[node] + child];
  }
  Solvers make_solvers(const LocalExamples& local, std::uint32_t node, std::uint32_t child_begin,
                       std::uint32_t child_end) const;
  const float* solve(Solvers& solvers, const std::vector<std::uint16_t>& positives,
                     std::uint32_t node, std::uint32_t first, std::size_t count);
  void gather_start(std::uint32_t node, std::uint32_t first_child, std::size_t count);
  void find_positives(std::uint32_t node, std::uint32_t child_begin, std::uint32_t child_end);
  void keep_weights(const float* weights, std::uint32_t first_child, std::size_t count,
                    NodePart& part) const;

  const TreeExamples& examples_;
  NodeSource::Reader source_;
  NodeTrainerOptions options_;
  std::optional<TreeStart> start_;
  float bias_value_;                    ///< value of the constant feature
  const NodeExamples* node_ = nullptr;  ///< examples of the node that is trained
  std::vector<float> start_weights_;    ///< [1 + features of the node, dual_width()]
  std::vector<Positive> positives_;
  std::vector<NodePart::Weight> recycled_;  ///< memory of weights
};

/// Joins the parts of a node, in the order of their children.
NodeWeights join_parts(std::span<const NodePart> parts);

}  // namespace frugal::sparse
