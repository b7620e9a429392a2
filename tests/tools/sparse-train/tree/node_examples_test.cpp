#include "tools/sparse-train/tree/node_examples.h"

#include <doctest/doctest.h>

#include <atomic>

#include "libcore/base/hash.h"
#include "libcore/threading/parallel.h"
#include "tools/sparse-train/tree/node_trainer.h"

using namespace frugal;
using namespace frugal::sparse;

namespace {

/// Four examples whose features are numbered from the most to the least frequent.
Dataset ordered_data() {
  Dataset data;
  data.feature_begin = {0, 3, 5, 6, 8};
  data.features = {0, 1, 2, 0, 1, 0, 0, 3};
  data.values = {1, 2, 3, 4, 5, 6, 7, 8};
  data.label_begin = {0, 1, 2, 3, 4};
  data.labels = {0, 1, 1, 0};
  data.num_features = 4;
  data.num_labels = 2;
  return data;
}

/// Copies of these examples with the numbers of features reversed, too many for noise.
Dataset unordered_data() {
  Dataset data = ordered_data();
  for (int copy = 0; copy < 5; ++copy) {  // 24 examples
    for (std::size_t i = 0; i < 4; ++i) {
      const std::vector<std::uint32_t> features(data.features_of(i).begin(),
                                                data.features_of(i).end());
      const std::vector<float> values(data.values_of(i).begin(), data.values_of(i).end());
      data.features.insert(data.features.end(), features.begin(), features.end());
      data.values.insert(data.values.end(), values.begin(), values.end());
      data.feature_begin.push_back(data.features.size());
      data.labels.push_back(data.labels[i]);
      data.label_begin.push_back(data.labels.size());
    }
  }
  for (std::uint32_t& f : data.features) f = 3 - f;
  return data;
}

/// A root with the labels 0 and 1.
TreeShape leaf_of_two() {
  TreeShape shape;
  shape.slot_begin = {0, 2};
  shape.labels = {0, 1};
  return shape;
}

template <class T>
std::vector<T> all_of(std::span<const T> values) {
  return {values.begin(), values.end()};
}

}  // namespace

TEST_CASE("copied examples number the node's features by frequency, first come first") {
  const Dataset data = unordered_data();
  std::vector<std::uint32_t> scratch(data.num_features);
  NodeExamples node;
  const std::vector<std::uint32_t> some = {1, 3}, known = {2, 1};
  node.gather(data, some, known, scratch);
  // Example 1 has the features 3 and 2, example 3 has 3 and 0; 1 is known alone.
  CHECK(node.features() == std::vector<std::uint32_t>{3, 2, 0, 1});
  CHECK(node.known() == std::vector<std::uint32_t>{1, 3});
  CHECK(scratch == std::vector<std::uint32_t>(4));
  const LocalExamples view = node.examples(0.5F);
  CHECK(all_of(view.begin) == std::vector<std::uint64_t>{0, 2, 4});
  CHECK(all_of(view.features) == std::vector<std::uint32_t>{0, 1, 0, 2});
  CHECK(all_of(view.values) == std::vector<float>{4, 5, 7, 8});
  CHECK(view.weights.empty());
  CHECK(view.bias == 0.5F);
  CHECK(view.num_features == 4);
  CHECK(view.num_rows() == 5);
}

TEST_CASE("copied examples without values have ones, and keep the weights of examples") {
  Dataset data = ordered_data();
  data.values.clear();
  data.weights = {0.5F, 1, 1.5F, 1};
  std::vector<std::uint32_t> scratch(data.num_features);
  NodeExamples node;
  const std::vector<std::uint32_t> some = {2, 0};
  node.gather(data, some, {}, scratch);
  CHECK(all_of(node.examples(1).values) == std::vector<float>{1, 1, 1, 1});
  CHECK(all_of(node.examples(1).weights) == std::vector<float>{1.5F, 0.5F});
}

TEST_CASE("features are by frequency but for a few examples") {
  Dataset data = ordered_data();
  CHECK(are_by_frequency(data));
  CHECK(!are_by_frequency(unordered_data()));
  // Counts of 1 and 10: as many as twice the count and eight more are noise, one more is not.
  data = Dataset();
  data.num_features = 2;
  data.features = {0};
  for (int i = 0; i < 10; ++i) data.features.push_back(1);
  CHECK(are_by_frequency(data));
  data.features.push_back(1);
  CHECK(!are_by_frequency(data));
}

TEST_CASE("the root's examples are the data themselves where their features are by frequency") {
  const Dataset ordered = ordered_data(), unordered = unordered_data();
  const TreeShape shape = leaf_of_two();
  const std::vector<std::uint32_t> once = {1}, often = {2};
  for (const auto& jobs : {once, often}) {
    const TreeExamples in_order(ordered, shape), out_of_order(unordered, shape);
    NodeSource lent(ordered, in_order, jobs), copied(unordered, out_of_order, jobs);
    NodeSource::Reader lent_reader(lent), copied_reader(copied), another(copied);
    CHECK(lent_reader.examples_of(0).examples(1).features.data() ==
          std::as_const(ordered).features.data());
    const NodeExamples& one = copied_reader.examples_of(0);
    CHECK(one.examples(1).features.data() != std::as_const(unordered).features.data());
    // A node of several jobs is copied once for all who use it at the time.
    CHECK((&one == &another.examples_of(0)) == (jobs[0] > 1));
  }
  Dataset ones = ordered;
  ones.values.clear();
  const TreeExamples examples(ones, shape);
  NodeSource source(ones, examples, once);
  CHECK(all_of(NodeSource::Reader(source).examples_of(0).examples(1).values) ==
        std::vector<float>(8, 1));
}

TEST_CASE("a copy stays for the next job of the same node") {
  Dataset data = unordered_data();
  const TreeShape shape = leaf_of_two();
  const TreeExamples examples(data, shape);
  const std::vector<std::uint32_t> jobs = {2};
  NodeSource source(data, examples, jobs);
  NodeSource::Reader reader(source);
  const float before = reader.examples_of(0).examples(1).values[0];
  data.values[0] = before + 1;  // a second copy would have it
  CHECK(reader.examples_of(0).examples(1).values[0] == before);
}

TEST_CASE("classifiers of lent examples are those of copied ones to the bit") {
  const Dataset data = ordered_data();
  const TreeShape shape = leaf_of_two();
  const TreeExamples examples(data, shape);
  const std::vector<std::uint32_t> jobs = {1};
  NodeSource lent(data, examples, jobs);
  NodeTrainer trainer(examples, lent, NodeTrainerOptions());
  const NodePart part = trainer.train(0, 0, 2);

  std::vector<std::uint32_t> scratch(data.num_features);
  NodeExamples copy;
  copy.gather(data, examples.of(0), {}, scratch);
  DualSolver solver(copy.examples(1), NodeTrainerOptions().solver, hash_combine(0, 0));
  const std::vector<std::uint16_t> positives = {1, 2, 2, 1};
  const float* const weights = solver.solve(positives, 2);
  for (std::size_t l = 0; l < 2; ++l) CHECK(part.bias[l] == weights[l]);
  REQUIRE(part.weights.size() > 4);
  for (const NodePart::Weight& w : part.weights) {
    std::size_t row = 0;
    while (copy.features()[row] != part.feature_of_row[w.row]) ++row;
    const float exact = weights[(1 + row) * dual_width(2) + w.weight.child];
    CHECK(w.weight.value() == to_float(to_bfloat16(exact)));
  }
}

TEST_CASE("threads that ask for the same node share one copy") {
  const Dataset data = unordered_data();
  const TreeShape shape = leaf_of_two();
  const TreeExamples examples(data, shape);
  const std::vector<std::uint32_t> jobs = {4};
  NodeSource source(data, examples, jobs);
  NodeSource::Reader first(source);
  const NodeExamples* const kept = &first.examples_of(0);
  std::atomic<int> others{0};
  parallel_threads([&](int) {
    NodeSource::Reader reader(source);
    for (int i = 0; i < 100; ++i) others += &reader.examples_of(0) == kept ? 0 : 1;
  });
  CHECK(others == 0);
}
