#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "libcore/parallel/communicator.h"
#include "libcore/parallel/tree_sum.h"

namespace frugal {

/// The mean gradient of a step over the mini-batches of all ranks. Gradients are added as a fixed
/// tree over the step's mini-batches (TreeSum), so that the mean is bitwise equal for 1, 2, 4, ...
/// ranks with equally many mini-batches.
class JointGradient {
 public:
  /// ranks: must outlive the object. type: number type in which gradients are sent.
  explicit JointGradient(Communicator& ranks, WireType type = WireType::f32)
      : ranks_(ranks), type_(type), gradients_(type) {}

  /// Adds the gradient of one of this rank's mini-batches. figures: other numbers that are summed
  /// over the mini-batches, e.g. losses.
  void add(std::vector<float> gradient, std::vector<double> figures);
  /// Number of mini-batches added in this step.
  std::uint64_t count() const { return gradients_.count(); }

  // Sums of the step over all ranks. `size` must be the same on every rank.
  std::vector<double> take_figures(std::size_t size);
  /// batches: number of mini-batches of all ranks, by which the sum is divided; 0: nothing is
  /// exchanged.
  std::vector<float> take_mean(std::size_t size, std::uint64_t batches);

 private:
  Communicator& ranks_;
  WireType type_;
  TreeSum<float> gradients_;
  TreeSum<double> figures_;
};

}  // namespace frugal
