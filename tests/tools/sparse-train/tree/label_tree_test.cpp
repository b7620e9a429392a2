#include "tools/sparse-train/tree/label_tree.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "libcore/base/rng.h"
#include "tests/support/text_file.h"
#include "tools/sparse-train/tree/row_order.h"

using namespace frugal;
using namespace frugal::sparse;

namespace {

constexpr std::uint32_t kChildren = 20, kFeatures = 1000;

/// A tree of one node, which has every third feature. plain: its weights, by feature.
LabelTree random_tree(Rng& rng, std::map<std::uint32_t, std::vector<float>>& plain) {
  LabelTree tree;
  tree.shape.slot_begin = {0, kChildren};
  for (std::uint32_t c = 0; c < kChildren; ++c) {
    tree.shape.labels.push_back(c);
    tree.bias.push_back(static_cast<float>(rng.normal()));
  }
  for (std::uint32_t f = 0; f < kFeatures; f += 3) tree.features.push_back(f);
  const int bits = directory_bits(tree.features.size());
  std::sort(tree.features.begin(), tree.features.end(),
            [&](std::uint32_t a, std::uint32_t b) { return places_before(a, b, bits); });
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
  return tree;
}

/// The arrays that a model's document has.
struct StoredArrays {
  std::vector<std::uint32_t> features, ends;
  std::vector<std::uint16_t> children;
  std::vector<BFloat16> weights;

  explicit StoredArrays(const LabelTree& tree) : features(tree.features), ends(tree.ends) {
    for (const ChildWeight& w : tree.weights) {
      children.push_back(w.child);
      weights.push_back(w.weight);
    }
  }
  LabelTree lend(const LabelTree& tree) const {
    LabelTree lent;
    lent.shape = tree.shape;
    lent.bias = tree.bias;
    lent.row_begin = tree.row_begin;
    lent.weight_begin = tree.weight_begin;
    lent.lent = LentRows{features, ends, children, weights, "model: tree 0"};
    return lent;
  }
};

}  // namespace

TEST_CASE("scores of children are the plain sums over an example's features, however many") {
  Rng rng(3);
  std::map<std::uint32_t, std::vector<float>> plain;
  const LabelTree tree = random_tree(rng, plain);
  const StoredArrays stored(tree);
  const LabelTree lent = stored.lend(tree);
  lent.check("lent", kFeatures, kChildren);
  for (const std::uint32_t n : {0U, 1U, 127U, 128U, 129U, 700U}) {
    std::vector<std::uint32_t> features;
    std::vector<float> values;
    for (std::uint32_t f = 0; f < n; ++f) {
      features.push_back(f);
      values.push_back(static_cast<float>(rng.uniform(-1, 1)));
    }
    std::vector<float> scores(kChildren);
    tree.score_children(0, features, values, scores.data());
    std::vector<float> from_lent(kChildren);
    lent.score_children(0, features, values, from_lent.data());
    CHECK(from_lent == scores);
    for (std::uint32_t c = 0; c < kChildren; ++c) {
      float sum = tree.bias[c];
      for (std::uint32_t j = 0; j < n; ++j) {
        if (plain.contains(features[j])) sum += values[j] * plain[features[j]][c];
      }
      CHECK(scores[c] == doctest::Approx(sum).epsilon(1e-5));
    }
  }
}

TEST_CASE("lent rows are checked when an example uses them") {
  Rng rng(3);
  std::map<std::uint32_t, std::vector<float>> plain;
  const LabelTree tree = random_tree(rng, plain);
  const std::size_t row = 100;
  const std::vector<std::uint32_t> its_feature = {tree.features[row]};
  const std::vector<std::uint32_t> another = {tree.features[200]};
  const auto answer = [&](const StoredArrays& stored, const std::vector<std::uint32_t>& features) {
    const LabelTree lent = stored.lend(tree);
    lent.check("lent", kFeatures, kChildren);
    std::vector<float> scores(kChildren);
    return error_of([&] { lent.score_children(0, features, {}, scores.data()); });
  };
  const std::string error = "65 model: tree 0: the weights of row 100, feature " +
                            std::to_string(its_feature[0]) +
                            ", do not fit into their node, expected finite numbers of its children";
  StoredArrays damaged(tree);
  CHECK(answer(damaged, its_feature) == "no error");
  damaged.weights[tree.ends[row] - 1] = to_bfloat16(std::nanf(""));
  CHECK(answer(damaged, its_feature) == error);
  CHECK(answer(damaged, another) == "no error");
  damaged = StoredArrays(tree);
  damaged.children[tree.ends[row] - 1] = kChildren;
  CHECK(answer(damaged, its_feature) == error);
  damaged = StoredArrays(tree);
  damaged.ends[row] = static_cast<std::uint32_t>(tree.weights.size() + 1);
  CHECK(answer(damaged, its_feature) == error);
  damaged.ends[row] = damaged.ends[row - 1] - 1;
  CHECK(answer(damaged, its_feature) == error);
  // Rows in a wrong order are not found, and no others are read.
  damaged = StoredArrays(tree);
  std::reverse(damaged.features.begin(), damaged.features.end());
  for (std::uint32_t f = 0; f < kFeatures; ++f) CHECK(answer(damaged, {f}) == "no error");
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
