#include "tools/sparse-train/tree/label_tree.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>

#include "libcore/base/rng.h"

using namespace frugal;

TEST_CASE("scores of children are the plain sums over an example's features, however many") {
  constexpr std::uint32_t kChildren = 20, kFeatures = 1000;
  Rng rng(3);
  std::map<std::uint32_t, std::vector<float>> plain;  // weights by feature
  LabelTree tree;
  tree.shape.slot_begin = {0, kChildren};
  for (std::uint32_t c = 0; c < kChildren; ++c) {
    tree.shape.labels.push_back(c);
    tree.bias.push_back(static_cast<float>(rng.normal()));
  }
  for (std::uint32_t f = 0; f < kFeatures; f += 3) tree.features.push_back(f);
  const int bits = LabelTree::directory_bits(tree.features.size());
  std::sort(tree.features.begin(), tree.features.end(),
            [&](std::uint32_t a, std::uint32_t b) { return LabelTree::places_before(a, b, bits); });
  for (const std::uint32_t f : tree.features) {
    plain[f].resize(kChildren);
    for (std::uint16_t c = static_cast<std::uint16_t>(f % 4); c < kChildren; c += 4) {
      const BFloat16 weight = to_bfloat16(static_cast<float>(rng.normal()));
      tree.weights.push_back({c, weight});
      plain[f][c] = to_float(weight);
    }
    tree.ends.push_back(static_cast<std::uint32_t>(tree.weights.size()));
  }
  tree.row_begin = {0, tree.features.size()};
  tree.weight_begin = {0, tree.weights.size()};
  tree.build_directory();
  for (const std::uint32_t n : {0U, 1U, 127U, 128U, 129U, 700U}) {
    std::vector<std::uint32_t> features;
    std::vector<float> values;
    for (std::uint32_t f = 0; f < n; ++f) {
      features.push_back(f);
      values.push_back(static_cast<float>(rng.uniform(-1, 1)));
    }
    std::vector<float> scores(kChildren);
    tree.score_children(0, features, values, scores.data());
    for (std::uint32_t c = 0; c < kChildren; ++c) {
      float sum = tree.bias[c];
      for (std::uint32_t j = 0; j < n; ++j) {
        if (plain.contains(features[j])) sum += values[j] * plain[features[j]][c];
      }
      CHECK(scores[c] == doctest::Approx(sum).epsilon(1e-5));
    }
  }
}
