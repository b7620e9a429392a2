#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "tools/sparse-train/data/dataset.h"
#include "tools/sparse-train/tree/dual_solver.h"
#include "tools/sparse-train/tree/label_tree.h"
#include "tools/sparse-train/tree/tree_examples.h"

namespace frugal::sparse {

struct NodeTrainerOptions {
  SolverOptions solver;
  double bias = 1;     ///< value of the feature that all examples have; 0 = none
  double prune = 0.1;  ///< weights closer to 0 are left out
  std::uint64_t seed = 0;
  // Of trees that are trained further:
  double new_share = 1;   ///< of all examples that they will have seen, what is new now
  double known_cost = 1;  ///< part of solver.cost, for classifiers of labels that are not new
  double fresh_cost = 1;  ///< and of those that are
};

/// Where the classifiers of a tree begin, and what they keep to.
struct TreeStart {
  const LabelTree& tree;
  const std::vector<bool>& fresh;  ///< as ForestStart's, by slot
};

/// The classifiers of some children of a node, as they are learnt.
struct NodePart {
  struct Weight {
    std::uint32_t row = 0;
    ChildWeight weight;
  };
  std::vector<float> bias;                    ///< by child, from the part's first on
  std::vector<std::uint32_t> feature_of_row;  ///< equal in all parts of a node
  std::vector<Weight> weights;                ///< children ascend within each row

  /// Gives the memory back of all but the bias.
  void forget_weights() {
    feature_of_row = {};
    weights = {};
  }
};

/// Learns the classifiers of the nodes of one tree, on one thread; a thread needs one of its own.
class NodeTrainer {
 public:
  /// What is passed must outlive this object. start: of a tree of the same shape.
  NodeTrainer(const Dataset& data, const TreeExamples& examples, const NodeTrainerOptions& options,
              const std::optional<TreeStart>& start = std::nullopt);

  /// The classifiers of the children [child_begin, child_end) of `node`.
  NodePart train(std::uint32_t node, std::uint32_t child_begin, std::uint32_t child_end);

 private:
  struct Positive {
    std::uint32_t child;
    std::uint32_t example;  ///< its place among the node's
  };
  /// known: of children that lead to labels which the start knows; fresh: of the others, if any.
  struct Solvers {
    DualSolver known;
    std::optional<DualSolver> fresh;
  };
  bool is_fresh(std::uint32_t node, std::uint32_t child) const {
    return start_->fresh[start_->tree.shape.slot_begin[node] + child];
  }
  Solvers make_solvers(std::uint32_t node, std::uint32_t child_begin,
                       std::uint32_t child_end) const;
  const float* solve(Solvers& solvers, const std::vector<std::uint16_t>& positives,
                     std::uint32_t node, std::uint32_t first, std::size_t count);
  void gather_examples(std::uint32_t node);
  void find_start_rows(std::uint32_t node);
  void gather_start(std::uint32_t node, std::uint32_t first_child, std::size_t count);
  std::uint32_t local_row(std::uint32_t feature);
  void find_positives(std::uint32_t node, std::uint32_t child_begin, std::uint32_t child_end);
  void keep_weights(const float* weights, std::uint32_t first_child, std::size_t count,
                    NodePart& part) const;

  const Dataset& data_;
  const TreeExamples& examples_;
  NodeTrainerOptions options_;
  std::optional<TreeStart> start_;
  float bias_value_;                       ///< of the feature that all examples have
  std::vector<std::uint32_t> start_rows_;  ///< local, of the start's rows of the node
  std::vector<float> start_weights_;       ///< [local features, kDualLanes]
  LocalExamples local_;
  std::vector<std::uint32_t> row_of_feature_;  ///< plus 1; 0 = not in the node
  std::vector<std::uint32_t> feature_of_row_;
  std::vector<Positive> positives_;
};

/// The parts of a node, in the order of their children, as one chunk.
NodeWeights join_parts(std::span<const NodePart> parts);

}  // namespace frugal::sparse
