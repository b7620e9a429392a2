#include "tools/sparse-train/tree/label_tree.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>

#include "libcore/base/rng.h"
#include "tests/support/text_file.h"

using namespace frugal;
using namespace frugal::sparse;

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

TEST_CASE("a shape whose nodes and labels do not follow each other is refused") {
  const auto problem = [](std::vector<std::uint32_t> slots, std::vector<std::uint32_t> labels) {
    return error_of([&] { TreeShape{slots, labels}.check("here", 10); });
  };
  // The root has two leaves of two labels each.
  CHECK(problem({0, 2, 4, 6}, {1, 2, 3, 4}) == "no error");
  const std::string root = "65 here: slots of the root are missing, expected them from 0 on";
  CHECK(problem({0}, {}) == root);
  CHECK(problem({1, 2}, {1}) == root);
  // A node without slots, one that goes back, one with a node and a label.
  const std::string rule = ", expected at least one, and only nodes or only labels";
  CHECK(problem({0, 2, 2, 4}, {1, 2}) == "65 here: node 1 has the slots 2 to 2" + rule);
  CHECK(problem({0, 2, 1, 4}, {1, 2}) == "65 here: node 1 has the slots 2 to 1" + rule);
  CHECK(problem({0, 3, 4, 6}, {1, 2, 3, 4}) == "65 here: node 0 has the slots 0 to 3" + rule);
  CHECK(problem({0, 2, 4, 6}, {1, 2, 3}) == "65 here: has 6 slots, expected 5");
  CHECK(problem({0, 2, 4, 6}, {1, 2, 3, 10}) ==
        "65 here: label 10 is out of range, expected one of 10");
  CHECK(problem({0, 2, 4, 6}, {1, 2, 3, 1}) == "65 here: label 1 stands twice, expected it once");
}
