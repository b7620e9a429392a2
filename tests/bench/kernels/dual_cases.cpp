#include <numeric>
#include <vector>

#include "libcore/base/array.h"
#include "libcore/base/rng.h"
#include "tests/bench/kernels/cases.h"
#include "tests/bench/kernels/measure.h"

namespace frugal::bench {
namespace {

constexpr std::size_t kExamples = 2000, kFeaturesEach = 64;

/// Examples of a node of a label tree, with random features.
struct Node {
  explicit Node(std::size_t num_rows) : features(kExamples * kFeaturesEach) {
    Rng rng(1);
    for (std::uint32_t& f : features) f = static_cast<std::uint32_t>(rng.below(num_rows));
    for (std::size_t e = 0; e <= kExamples; ++e) begin.push_back(e * kFeaturesEach);
  }

  std::vector<std::uint64_t> begin;
  Array<std::uint32_t> features;
  std::vector<float> values = std::vector<float>(kExamples * kFeaturesEach, 0.125f);
  std::vector<float> inverse_curvature = std::vector<float>(kExamples, 0.1f);
  std::vector<float> diagonals = std::vector<float>(kExamples, 0.5f);
};

}  // namespace

void dual_cases(const Kernels& k) {
  constexpr std::size_t kRowCounts[] = {std::size_t{1} << 12, std::size_t{1} << 17};
  std::vector<std::uint32_t> order(kExamples);
  std::vector<std::uint16_t> positives(kExamples, 0x1111);
  std::vector<float> limits(kDualLanes, 1e30f), largest(kDualLanes), smallest(kDualLanes);
  for (const std::size_t num_rows : kRowCounts) {
    const Node node(num_rows);
    for (const std::size_t width : {std::size_t{4}, std::size_t{8}, kDualLanes}) {
      Array<float> weights((1 + num_rows) * width), alphas(kExamples * width);
      const std::uint32_t lanes = (1U << width) - 1;
      constexpr double kEntries = double{kExamples} * double{kFeaturesEach};
      const Work work{"dual_sweep", k.name, std::to_string(num_rows) + "x" + std::to_string(width),
                      kEntries,     0,      kEntries * static_cast<double>(width * sizeof(float))};
      measure(work, [&] {
        // Labels that change keep the classifiers from their optimum, where nothing moves.
        for (std::uint16_t& labels : positives) labels = static_cast<std::uint16_t>(~labels);
        std::iota(order.begin(), order.end(), 0U);
        shuffle(order.data(), order.size(), Rng(2));
        k.dual_sweep({node.begin.data(), node.features.data(), node.values.data(), 1,
                      positives.data(), node.inverse_curvature.data(), node.diagonals.data(),
                      weights.data(), alphas.data(), order.data(), kExamples, lanes, limits.data(),
                      largest.data(), smallest.data(), width});
      });
    }
  }
}

}  // namespace frugal::bench
