#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "libcore/parallel/communicator.h"
#include "libcore/parallel/tree_sum.h"

namespace frugal {

/// The mean gradient of a step's mini-batches, which the ranks share. Gradients are added up as a
/// fixed tree over the step's mini-batches (TreeSum), so the mean is the same to the bit for 1, 2,
/// 4, ... ranks that have equal parts.
class JointGradient {
 public:
  /// ranks: outlive the object. type: what gradients are sent as.
  explicit JointGradient(Communicator& ranks, WireType type = WireType::f32)
      : ranks_(ranks), type_(type), gradients_(type) {}

  /// Of one of this rank's mini-batches. figures: what is summed up beside the gradients.
  void add(std::vector<float> gradient, std::vector<double> figures);
  /// How many were added to the step.
  std::uint64_t count() const { return gradients_.count(); }

  // The step's sums, with all ranks: the sizes are the same for each.
  std::vector<double> take_figures(std::size_t size);
  /// batches: over which the mean is, of all ranks; 0: none, and nothing is exchanged.
  std::vector<float> take_mean(std::size_t size, std::uint64_t batches);

 private:
  Communicator& ranks_;
  WireType type_;
  TreeSum<float> gradients_;
  TreeSum<double> figures_;
};

}  // namespace frugal
