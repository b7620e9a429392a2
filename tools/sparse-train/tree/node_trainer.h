#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "tools/sparse-train/data/dataset.h"
#include "tools/sparse-train/tree/dual_solver.h"
#include "tools/sparse-train/tree/label_tree.h"
#include "tools/sparse-train/tree/tree_examples.h"

namespace frugal {

struct NodeTrainerOptions {
  SolverOptions solver;
  double bias = 1;     ///< value of the feature that all examples have; 0 = none
  double prune = 0.1;  ///< weights closer to 0 are left out
  std::uint64_t seed = 0;
};

/// The classifiers of some children of a node, as they are learnt.
struct NodePart {
  struct Weight {
    std::uint32_t row;
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
  /// What is passed must outlive this object. start: a tree of the same shape whose classifiers are
  /// where those of the nodes begin, and what they keep to; null: none.
  NodeTrainer(const Dataset& data, const TreeExamples& examples, const NodeTrainerOptions& options,
              const LabelTree* start = nullptr);

  /// The classifiers of the children [child_begin, child_end) of `node`.
  NodePart train(std::uint32_t node, std::uint32_t child_begin, std::uint32_t child_end);

 private:
  struct Positive {
    std::uint32_t child;
    std::uint32_t example;  ///< its place among the node's
  };
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
  const LabelTree* start_;
  std::vector<std::uint32_t> start_rows_;  ///< local, of the start's rows of the node
  std::vector<float> start_weights_;       ///< [local features, kDualLanes]
  LocalExamples local_;
  std::vector<std::uint32_t> row_of_feature_;  ///< plus 1; 0 = not in the node
  std::vector<std::uint32_t> feature_of_row_;
  std::vector<Positive> positives_;
};

/// The parts of a node, in the order of their children, as one chunk.
NodeWeights join_parts(std::span<const NodePart> parts);

}  // namespace frugal
