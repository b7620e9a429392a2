#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "libcore/base/array.h"
#include "libcore/kernels/kernels.h"

namespace frugal::sparse {

struct SolverOptions {
  double cost = 1;         ///< C, what an error costs beside |w|^2 / 2
  double tolerance = 0.1;  ///< largest spread of projected gradients at the end
  int max_sweeps = 20;
};

/// Examples with features of their own numbers, CSR, in arrays that others own. Each example also
/// has a constant feature, the bias.
struct LocalExamples {
  std::span<const std::uint64_t> begin;  ///< [examples + 1]
  std::span<const std::uint32_t> features;
  std::span<const float> values;
  std::span<const float> weights;  ///< of the examples: factors of their cost; none: all 1
  float bias = 1;                  ///< value of the constant feature
  std::uint32_t num_features = 0;  ///< without the bias

  std::size_t size() const { return begin.size() - 1; }
  /// Rows of weights: the bias and the features.
  std::size_t num_rows() const { return std::size_t{num_features} + 1; }
};

/// Linear classifiers with squared hinge loss, up to kDualLanes at a time over the same examples,
/// by dual coordinate descent with shrinking (Hsieh, Chang, Lin, Keerthi and Sundararajan, ICML
/// 2008, algorithms 2 and 3). Differs from it: the classifiers share the order of the examples, and
/// an example rests when it rests for all of them.
class DualSolver {
 public:
  DualSolver(const LocalExamples& examples, const SolverOptions& options, std::uint64_t seed);

  /// `positives`: bit l of example e says that classifier l is to say yes there; classifiers from
  /// `count` on are left out. Returns the weights, [1 + features, dual_width(count)] with the bias
  /// in the first row, valid until the next call. start: weights of the same form from which |w -
  /// start|^2 is counted instead of |w|^2: what they say of the examples already costs nothing;
  /// null: 0.
  const float* solve(const std::vector<std::uint16_t>& positives, std::size_t count,
                     const float* start = nullptr);

 private:
  struct Lanes;
  std::size_t sweep(const std::vector<std::uint16_t>& positives, std::size_t width,
                    std::size_t active, Lanes& lanes, std::uint64_t round);

  LocalExamples examples_;
  SolverOptions options_;
  std::uint64_t seed_;
  std::vector<float> diagonals_;
  std::vector<float> inverse_curvature_;
  std::vector<std::uint32_t> order_;
  Array<float> alphas_;
  Array<float> weights_;
};

}  // namespace frugal::sparse
