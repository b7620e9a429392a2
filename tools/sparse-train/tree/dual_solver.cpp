#include "tools/sparse-train/tree/dual_solver.h"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>

#include "libcore/base/hash.h"
#include "libcore/base/rng.h"

namespace frugal::sparse {
namespace {

constexpr std::uint64_t kSolverStream = 21;
constexpr double kLeastWeight = 1e-6;  ///< least weight of an example; the mean is 1
constexpr float kInfinity = std::numeric_limits<float>::infinity();

}  // namespace

/// State of each classifier between sweeps.
struct DualSolver::Lanes {
  std::uint32_t running = 0;    ///< not yet at the optimum
  std::uint32_t satisfied = 0;  ///< at the optimum of the examples that are not resting
  std::array<float, kDualLanes> limits{};
  std::array<float, kDualLanes> largest{};
  std::array<float, kDualLanes> smallest{};

  explicit Lanes(std::size_t count) : running((1U << count) - 1) { limits.fill(kInfinity); }

  void begin_sweep() {
    largest.fill(-kInfinity);
    smallest.fill(kInfinity);
  }
  /// Evaluates the sweep's projected gradients. whole: no example rested before it.
  void end_sweep(float tolerance, bool whole) {
    for (std::size_t l = 0; l < kDualLanes; ++l) {
      const std::uint32_t bit = 1U << l;
      if ((running & ~satisfied & bit) == 0) continue;
      // No gradient at all: every example rests, as at an optimum.
      const bool done = !(largest[l] - smallest[l] > tolerance);
      if (done && whole) running &= ~bit;
      if (done) satisfied |= bit;
      limits[l] = largest[l] > 0 ? largest[l] : kInfinity;
    }
  }
  /// After examples that rested come back.
  void start_again() {
    limits.fill(kInfinity);
    satisfied = 0;
  }
};

DualSolver::DualSolver(const LocalExamples& examples, const SolverOptions& options,
                       std::uint64_t seed)
    : examples_(examples),
      options_(options),
      seed_(seed),
      diagonals_(examples.size()),
      inverse_curvature_(examples.size()),
      order_(examples.size()),
      alphas_(examples.size() * kDualLanes),
      weights_(examples.num_rows() * kDualLanes) {
  for (std::size_t e = 0; e < examples.size(); ++e) {
    double squares = static_cast<double>(examples.bias) * static_cast<double>(examples.bias);
    for (std::uint64_t j = examples.begin[e]; j < examples.begin[e + 1]; ++j)
      squares += static_cast<double>(examples.values[j]) * static_cast<double>(examples.values[j]);
    const double weight = examples.weights.empty() ? 1 : static_cast<double>(examples.weights[e]);
    const double diagonal = 0.5 / (options.cost * std::max(weight, kLeastWeight));
    diagonals_[e] = static_cast<float>(diagonal);
    inverse_curvature_[e] = static_cast<float>(1 / (squares + diagonal));
  }
}

std::size_t DualSolver::sweep(const std::vector<std::uint16_t>& positives, std::size_t width,
                              std::size_t active, Lanes& lanes, std::uint64_t round) {
  shuffle(order_.data(), active, Rng(seed_, hash_combine(kSolverStream, round)));
  lanes.begin_sweep();
  DualSweep s;
  s.begin = examples_.begin.data();
  s.features = examples_.features.data();
  s.values = examples_.values.data();
  s.bias = examples_.bias;
  s.positives = positives.data();
  s.inverse_curvature = inverse_curvature_.data();
  s.diagonals = diagonals_.data();
  s.weights = weights_.data();
  s.alphas = alphas_.data();
  s.order = order_.data();
  s.n = active;
  s.lanes = lanes.running & ~lanes.satisfied;
  s.limits = lanes.limits.data();
  s.largest = lanes.largest.data();
  s.smallest = lanes.smallest.data();
  s.width = width;
  return kernels().dual_sweep(s);
}

const float* DualSolver::solve(const std::vector<std::uint16_t>& positives, std::size_t count,
                               const float* start) {
  std::iota(order_.begin(), order_.end(), 0U);
  const std::size_t width = dual_width(count);
  const std::size_t num_weights = examples_.num_rows() * width;
  std::fill_n(alphas_.data(), order_.size() * width, 0.0f);
  if (start == nullptr) {
    std::fill_n(weights_.data(), num_weights, 0.0f);
  } else {
    std::copy_n(start, num_weights, weights_.data());
  }
  Lanes lanes(count);
  std::size_t active = order_.size();
  for (int round = 0; round < options_.max_sweeps && lanes.running != 0; ++round) {
    const bool whole = active == order_.size();
    active = sweep(positives, width, active, lanes, static_cast<std::uint64_t>(round));
    lanes.end_sweep(static_cast<float>(options_.tolerance), whole);
    if ((lanes.running & ~lanes.satisfied) == 0) {
      active = order_.size();
      lanes.start_again();
    }
  }
  return weights_.data();
}

}  // namespace frugal::sparse
