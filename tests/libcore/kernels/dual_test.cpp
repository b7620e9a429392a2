#include "tests/libcore/kernels/every_level.h"

using namespace frugal;

namespace {

constexpr std::size_t kExamples = 37;
constexpr std::size_t kFeatures = 19;

/// Sparse examples of 0 to 9 features and a bias, with labels for every lane.
struct Problem {
  std::vector<std::uint64_t> begin{0};
  std::vector<std::uint32_t> features;
  std::vector<float> values;
  float bias = 0.75f;
  std::vector<std::uint16_t> positives;
  std::vector<float> inverse_curvature;
  float diagonal = 0.5f;

  Problem() {
    Rng rng(11);
    for (std::size_t e = 0; e < kExamples; ++e) {
      double squares = 0.75 * 0.75;
      for (std::uint64_t n = rng.below(10); n > 0; --n) {
        features.push_back(static_cast<std::uint32_t>(rng.below(kFeatures)));
        values.push_back(static_cast<float>(rng.uniform(-1, 1)));
        squares += static_cast<double>(values.back()) * static_cast<double>(values.back());
      }
      begin.push_back(features.size());
      positives.push_back(static_cast<std::uint16_t>(rng.below(65536)));
      inverse_curvature.push_back(static_cast<float>(1 / (squares + 0.5)));
    }
  }
};

/// Weights, duals and the statistics of a sweep in double, written down as in the paper.
struct Plain {
  std::vector<double> weights = std::vector<double>((1 + kFeatures) * kDualLanes);
  std::vector<double> alphas = std::vector<double>(kExamples * kDualLanes);
  std::vector<double> largest = std::vector<double>(kDualLanes, -1e30);
  std::vector<double> smallest = std::vector<double>(kDualLanes, 1e30);

  void sweep(const Problem& p, std::uint32_t lanes, double limit) {
    std::fill(largest.begin(), largest.end(), -1e30);
    std::fill(smallest.begin(), smallest.end(), 1e30);
    for (std::size_t e = 0; e < kExamples; ++e) {
      for (std::size_t l = 0; l < kDualLanes; ++l) {
        if ((lanes >> l & 1) != 0) step(p, e, l, limit);
      }
    }
  }
  void step(const Problem& p, std::size_t e, std::size_t l, double limit) {
    const double y = (p.positives[e] >> l & 1) != 0 ? 1 : -1;
    double& alpha = alphas[e * kDualLanes + l];
    double margin = static_cast<double>(p.bias) * weights[l];
    for (std::size_t j = p.begin[e]; j < p.begin[e + 1]; ++j)
      margin += static_cast<double>(p.values[j]) * weights[(1 + p.features[j]) * kDualLanes + l];
    const double gradient = y * margin - 1 + static_cast<double>(p.diagonal) * alpha;
    if (alpha == 0 && gradient > limit) return;
    const double projected = alpha == 0 ? std::min(gradient, 0.0) : gradient;
    largest[l] = std::max(largest[l], projected);
    smallest[l] = std::min(smallest[l], projected);
    const double next =
        std::max(0.0, alpha - gradient * static_cast<double>(p.inverse_curvature[e]));
    weights[l] += (next - alpha) * y * static_cast<double>(p.bias);
    for (std::size_t j = p.begin[e]; j < p.begin[e + 1]; ++j) {
      weights[(1 + p.features[j]) * kDualLanes + l] +=
          (next - alpha) * y * static_cast<double>(p.values[j]);
    }
    alpha = next;
  }
};

}  // namespace

TEST_CASE("dual_sweep agrees with the steps of the paper in double") {
  const Problem p;
  on_every_level([&](const Kernels& k) {
    Plain plain;
    Floats weights((1 + kFeatures) * kDualLanes), alphas(kExamples * kDualLanes);
    Floats limits(kDualLanes, 0.8f);
    const std::uint32_t lanes = 0xbfff;
    for (int round = 0; round < 6; ++round) {
      std::vector<std::uint32_t> order(kExamples);
      for (std::uint32_t e = 0; e < kExamples; ++e) order[e] = e;
      Floats largest(kDualLanes, -1e30f), smallest(kDualLanes, 1e30f);
      DualSweep sweep;
      sweep.begin = p.begin.data();
      sweep.features = p.features.data();
      sweep.values = p.values.data();
      sweep.bias = p.bias;
      sweep.positives = p.positives.data();
      sweep.inverse_curvature = p.inverse_curvature.data();
      const std::vector<float> diagonals(kExamples, p.diagonal);
      sweep.diagonals = diagonals.data();
      sweep.weights = weights.data();
      sweep.alphas = alphas.data();
      sweep.order = order.data();
      sweep.n = kExamples;
      sweep.lanes = lanes;
      sweep.limits = limits.data();
      sweep.largest = largest.data();
      sweep.smallest = smallest.data();
      CHECK(k.dual_sweep(sweep) <= kExamples);
      plain.sweep(p, lanes, 0.8f);
      std::size_t wrong = 0;
      for (std::size_t i = 0; i < weights.size(); ++i)
        wrong += !close(weights[i], plain.weights[i], 100);
      for (std::size_t i = 0; i < alphas.size(); ++i)
        wrong += !close(alphas[i], plain.alphas[i], 100);
      for (std::size_t l = 0; l < kDualLanes; ++l) {
        if ((lanes >> l & 1) == 0) continue;
        wrong += !close(largest[l], plain.largest[l], 100);
        wrong += !close(smallest[l], plain.smallest[l], 100);
      }
      CHECK(wrong == 0);
    }
  });
}

TEST_CASE("narrow rows of dual_sweep have the bits of whole ones") {
  const Problem p;
  const std::vector<float> diagonals(kExamples, p.diagonal);
  on_every_level([&](const Kernels& k) {
    std::vector<std::vector<float>> first;  // weights and duals of three classifiers
    for (const std::size_t width : {std::size_t{4}, std::size_t{8}, kDualLanes}) {
      Floats weights((1 + kFeatures) * width), alphas(kExamples * width), limits(width, 0.8f);
      Floats largest(width, -1e30f), smallest(width, 1e30f);
      for (int round = 0; round < 3; ++round) {
        std::vector<std::uint32_t> order(kExamples);
        for (std::uint32_t e = 0; e < kExamples; ++e) order[e] = e;
        k.dual_sweep({p.begin.data(), p.features.data(), p.values.data(), p.bias,
                      p.positives.data(), p.inverse_curvature.data(), diagonals.data(),
                      weights.data(), alphas.data(), order.data(), kExamples, 7, limits.data(),
                      largest.data(), smallest.data(), width});
      }
      std::vector<float> found;
      for (std::size_t l = 0; l < 3; ++l) {
        for (std::size_t f = 0; f <= kFeatures; ++f) found.push_back(weights[f * width + l]);
        for (std::size_t e = 0; e < kExamples; ++e) found.push_back(alphas[e * width + l]);
        found.push_back(largest[l]);
        found.push_back(smallest[l]);
      }
      first.push_back(found);
      CHECK(first.back() == first.front());
    }
  });
}

TEST_CASE("dual_sweep moves an example to the end where all of its classifiers rest") {
  // Example 0 is beyond the margin of both classifiers, example 1 of none, example 2 of one.
  const std::vector<std::uint64_t> begin = {0, 1, 2, 3};
  const std::vector<std::uint32_t> features = {0, 1, 2};
  const std::vector<float> values = {1, 1, 1};
  const std::vector<std::uint16_t> positives = {0, 0, 0};
  const std::vector<float> inverse_curvature = {0.5f, 0.5f, 0.5f}, diagonals = {1, 1, 1};
  on_every_level([&](const Kernels& k) {
    Floats weights(4 * kDualLanes), alphas(3 * kDualLanes), limits(kDualLanes, 0);
    weights[kDualLanes] = weights[kDualLanes + 1] = weights[3 * kDualLanes] = -3;
    Floats largest(kDualLanes, -1e30f), smallest(kDualLanes, 1e30f);
    std::vector<std::uint32_t> order = {0, 1, 2};
    const DualSweep sweep{begin.data(),
                          features.data(),
                          values.data(),
                          0,
                          positives.data(),
                          inverse_curvature.data(),
                          diagonals.data(),
                          weights.data(),
                          alphas.data(),
                          order.data(),
                          3,
                          3,
                          limits.data(),
                          largest.data(),
                          smallest.data()};
    CHECK(k.dual_sweep(sweep) == 2);
    CHECK(order == std::vector<std::uint32_t>{1, 2, 0});
    CHECK(alphas[0] == 0);
    CHECK(alphas[kDualLanes] == 0.5f);
    CHECK(alphas[kDualLanes + 2] == 0);  // not a lane that takes part
    CHECK(weights[2 * kDualLanes] == -0.5f);
    CHECK(alphas[2 * kDualLanes] == 0);
    CHECK(alphas[2 * kDualLanes + 1] == 0.5f);
  });
}
