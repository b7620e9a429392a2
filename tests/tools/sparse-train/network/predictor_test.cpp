#include "tools/sparse-train/network/predictor.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "libcore/base/rng.h"
#include "libcore/kernels/kernels.h"
#include "libcore/threading/parallel.h"
#include "tests/tools/sparse-train/synthetic_data.h"
#include "tools/sparse-train/network/quick_predictor.h"

using namespace frugal;
using namespace frugal::sparse;

namespace {

Network random_network(const Dataset& data, LossKind loss) {
  Network network({data.num_features, data.num_labels, 15, Activation::relu, loss},
                  OptimizerKind::sgd);
  Rng rng(3);
  for (std::size_t r = 0; r < network.features.rows(); ++r) {
    for (std::size_t i = 0; i < 15; ++i)
      network.features.row(r)[i] = static_cast<float>(rng.normal());
  }
  for (std::size_t r = 0; r < network.labels.rows(); ++r) {
    for (std::size_t i = 0; i < 16; ++i)
      network.labels.row(r)[i] = static_cast<float>(rng.normal());
  }
  return network;
}

/// All labels in the order of their logits, with probabilities, in double.
std::vector<std::pair<double, std::uint32_t>> plain_ranking(const Network& network,
                                                            const Dataset& data, std::size_t i) {
  std::vector<double> h(15);
  for (std::size_t j = 0; j < data.features_of(i).size(); ++j) {
    for (std::size_t k = 0; k < 15; ++k) {
      h[k] += static_cast<double>(data.values_of(i)[j]) *
              network.features.row(data.features_of(i)[j])[k];
    }
  }
  std::vector<std::pair<double, std::uint32_t>> ranking;
  double sum = 0;
  for (std::uint32_t l = 0; l < network.labels.rows(); ++l) {
    double z = network.labels.row(l)[15];
    for (std::size_t k = 0; k < 15; ++k) z += std::max(h[k], 0.0) * network.labels.row(l)[k];
    ranking.emplace_back(z, l);
    sum += std::exp(z);
  }
  for (auto& [z, l] : ranking) {
    z = network.shape.loss == LossKind::softmax ? std::exp(z) / sum : 1 / (1 + std::exp(-z));
  }
  std::sort(ranking.begin(), ranking.end(), std::greater<>());
  return ranking;
}

}  // namespace

TEST_CASE("the best labels and their probabilities are exact, over blocks of labels") {
  const Dataset data =
      synthetic_data(70, 5000, 1);  // more labels than a block, more examples than a chunk
  for (const LossKind loss : {LossKind::softmax, LossKind::one_vs_all}) {
    const Network network = random_network(data, loss);
    const Predictor predictor(network, 6);
    const std::vector<ScoredLabel> best = predictor.predict(data, 1, 70);
    REQUIRE(best.size() == 69 * 6);
    for (std::size_t i = 1; i < 70; ++i) {
      const auto ranking = plain_ranking(network, data, i);
      for (std::size_t j = 0; j < 6; ++j) {
        const ScoredLabel& found = best[(i - 1) * 6 + j];
        CHECK(found.score == doctest::Approx(ranking[j].first).epsilon(1e-4));
        if (ranking[j].first > ranking[j + 1].first * 1.001 &&
            (j == 0 || ranking[j - 1].first > ranking[j].first * 1.001)) {
          CHECK(found.label == ranking[j].second);
        }
      }
    }
  }
}

TEST_CASE("equal scores are ordered by label, and more labels than there are cannot be asked for") {
  const Dataset data = synthetic_data(3, 4, 1);
  const Network network({data.num_features, 4, 15, Activation::linear, LossKind::softmax},
                        OptimizerKind::sgd);
  const Predictor predictor(network, 10);
  CHECK(predictor.k() == 4);
  const std::vector<ScoredLabel> best = predictor.predict(data, 0, 1);
  for (std::uint32_t j = 0; j < 4; ++j) {
    CHECK(best[j].label == j);
    CHECK(best[j].score == doctest::Approx(0.25));
  }
}

TEST_CASE("rows of nibbles never score above their upper bounds") {
  Rng rng(5);
  for (const std::size_t depth : {1, 3, 15, 64, 129}) {
    for (const double lowest : {-1.0, 0.0}) {
      const std::size_t n = 77;
      std::vector<float> rows(n * (depth + 1)), x(depth);
      for (float& v : rows) v = static_cast<float>(rng.normal());
      for (float& v : x) v = static_cast<float>(rng.uniform(lowest, 1));
      for (std::size_t i = 0; i <= depth; ++i) rows[7 * (depth + 1) + i] = 0;  // a row of zeros
      const NibbleRows nibbles({rows.data(), n, depth + 1});
      NibbleRows::Scores scores;
      nibbles.score(x, scores);
      double length = 0;
      for (const float v : x) length += static_cast<double>(v) * v;
      for (std::size_t r = 0; r < n; ++r) {
        const float* row = rows.data() + r * (depth + 1);
        double exact = row[depth], row_length = 0;
        for (std::size_t i = 0; i < depth; ++i) {
          exact += static_cast<double>(row[i]) * x[i];
          row_length += static_cast<double>(row[i]) * row[i];
        }
        const float highest = nibbles.highest(r, scores);
        CHECK(highest >= exact);
        CHECK(scores.highest[r / kNibbleRows] >= exact);
        // and the bound is of use
        CHECK(highest - exact <= 0.5 * std::sqrt(length * row_length) + 1e-6);
      }
    }
  }
}

TEST_CASE("quick prediction ranks exactly, with probabilities within 1 %") {
  const Dataset data = synthetic_data(60, 5000, 1);
  for (const LossKind loss : {LossKind::softmax, LossKind::one_vs_all}) {
    for (const float sharpness : {0.05F, 0.3F, 1.0F}) {
      Network network = random_network(data, loss);
      for (std::size_t l = 0; l < network.labels.rows(); ++l) {
        for (std::size_t i = 0; i < 16; ++i) network.labels.row(l)[i] *= sharpness;
      }
      for (const std::size_t k : {1, 5, 100}) {
        const auto exact = Predictor(network, k).predict(data, 0, data.size());
        const QuickPredictor quick(network, k);
        const auto found = quick.predict(data, 0, data.size());
        REQUIRE(found.size() == exact.size());
        std::size_t wrong = 0, inexact = 0;
        for (std::size_t i = 0; i < found.size(); ++i) {
          // Scores that differ by rounding may change places.
          wrong += found[i].label != exact[i].label &&
                   std::abs(found[i].score - exact[i].score) > 1e-2F * exact[i].score;
          inexact += std::abs(found[i].score - exact[i].score) > 1e-2F * exact[i].score;
        }
        CHECK(wrong == 0);
        CAPTURE(sharpness);
        CAPTURE(k);
        CAPTURE(loss_name(loss));
        CHECK(inexact == 0);
        CHECK(quick.predict(data, 3, 4)[0].label == found[3 * k].label);
      }
    }
  }
}
