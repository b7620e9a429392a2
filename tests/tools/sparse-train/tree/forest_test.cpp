#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "libcore/base/error.h"
#include "libcore/threading/parallel.h"
#include "tests/libcore/parallel/test_ranks.h"
#include "tests/tools/sparse-train/synthetic_data.h"
#include "tools/sparse-train/tree/forest_scorer.h"
#include "tools/sparse-train/tree/forest_trainer.h"

using namespace frugal;
using namespace frugal::sparse;

namespace {

ForestOptions small_trees() {
  ForestOptions options;
  options.clusters.leaf_size = 6;
  options.clusters.arity = 4;
  return options;
}

LabelForest train(const Dataset& data, ForestOptions options, std::uint32_t trees) {
  options.trees = trees;
  LabelForest forest;
  CHECK(grow_forest(data, options, {}, forest));
  return forest;
}

Document saved(const LabelForest& forest) {
  Document document;
  forest.save(document);
  return document;
}

bool same(const Document& a, const Document& b) {
  if (a.metadata != b.metadata || a.tensors.size() != b.tensors.size()) return false;
  return std::equal(
      a.tensors.begin(), a.tensors.end(), b.tensors.begin(), [](const Tensor& x, const Tensor& y) {
        return x.name == y.name && x.shape == y.shape &&
               std::equal(x.bytes.begin(), x.bytes.end(), y.bytes.begin(), y.bytes.end());
      });
}

/// As if no label were more frequent than another.
const std::vector<std::uint64_t> kEqualCounts(200, 1);

double precision_at_1(const Scorer& scorer, const Dataset& data) {
  const std::vector<ScoredLabel> best = scorer.predict(data, 0, data.size());
  double right = 0;
  for (std::size_t i = 0; i < data.size(); ++i) {
    const auto labels = data.labels_of(i);
    right += std::count(labels.begin(), labels.end(), best[i * scorer.k()].label);
  }
  return right / static_cast<double>(data.size());
}

/// The probability of `label` by the definition, over all ways: a plain walk through the tree.
double probability(const LabelTree& tree, const Dataset& data, std::size_t i, std::uint32_t label) {
  std::function<double(std::uint32_t)> below = [&](std::uint32_t node) {
    double total = 0;
    for (std::uint32_t c = 0; c < tree.shape.num_children(node); ++c) {
      const std::uint32_t slot = tree.shape.slot_begin[node] + c;
      const bool leaf = tree.shape.is_leaf(node);
      if (leaf && tree.shape.label_of(slot) != label) continue;
      double margin = static_cast<double>(tree.bias[slot]);
      std::uint32_t begin = 0;
      for (std::uint64_t r = tree.row_begin[node]; r < tree.row_begin[node + 1]; ++r) {
        for (std::uint32_t w = begin; w < tree.ends[r]; ++w) {
          const ChildWeight& weight = tree.weights[tree.weight_begin[node] + w];
          if (weight.child != c) continue;
          const auto features = data.features_of(i);
          for (std::size_t j = 0; j < features.size(); ++j) {
            if (features[j] == tree.features[r])
              margin += static_cast<double>(weight.value() * data.values_of(i)[j]);
          }
        }
        begin = tree.ends[r];
      }
      const double x = 1 - margin;
      const bool flat = tree.shape.num_nodes() == 1;
      const double short_of = flat ? (x + std::sqrt(x * x + 0.04)) / 2 : std::max(0.0, x);
      total += std::exp(-std::pow(short_of, 2.5)) * (leaf ? 1 : below(slot + 1));
    }
    return total;
  };
  return below(0);
}

std::string message_of(const std::function<void()>& body) {
  try {
    body();
  } catch (const Error& error) {
    CHECK(error.status() == ExitStatus::bad_input);
    return error.what();
  }
  return "no error";
}

template <class T>
std::span<T> values(Document& document, const std::string& name) {
  for (Tensor& tensor : document.tensors) {
    if (tensor.name == name) return tensor.as<T>();
  }
  FAIL("no tensor " << name);
  return {};
}

}  // namespace

TEST_CASE("a forest learns, and several trees rank no worse than one") {
  Dataset data = synthetic_data(3000, 100, 2), test = synthetic_data(500, 100, 2, 2);
  normalize_rows(data);
  normalize_rows(test);
  const LabelForest forest = train(data, small_trees(), 3);
  LabelForest one = train(data, small_trees(), 1);
  const double by_three = precision_at_1(ForestScorer(forest, kEqualCounts, 1), test);
  CHECK(by_three > 0.8);
  CHECK(by_three >= precision_at_1(ForestScorer(one, kEqualCounts, 1), test));
}

TEST_CASE("a beam over everything gives every label its probability by the definition") {
  Dataset data = synthetic_data(400, 40, 2);
  normalize_rows(data);
  ForestOptions one_leaf = small_trees();
  one_leaf.clusters.leaf_size = 40;
  for (const ForestOptions& options : {small_trees(), one_leaf}) {
    const LabelForest forest = train(data, options, 2);
    const ForestScorer scorer(forest, kEqualCounts, 40, 1000);
    const std::vector<ScoredLabel> got = scorer.predict(data, 5, 8);
    for (std::size_t i = 0; i < 3; ++i) {
      CHECK(std::is_sorted(got.begin() + static_cast<std::ptrdiff_t>(i * 40),
                           got.begin() + static_cast<std::ptrdiff_t>((i + 1) * 40), ranks_before));
      for (std::size_t j = 0; j < 40; ++j) {
        const ScoredLabel& s = got[i * 40 + j];
        const double want = (probability(forest.trees[0], data, 5 + i, s.label) +
                             probability(forest.trees[1], data, 5 + i, s.label)) /
                            2;
        CHECK(s.score == doctest::Approx(want).epsilon(1e-4));
      }
    }
  }
}

TEST_CASE("every other tree has the second arity, and no root of clusters") {
  Dataset data = synthetic_data(400, 40, 2);
  normalize_rows(data);
  ForestOptions options = small_trees();
  options.clusters.arity = 16;
  options.second_arity = 2;
  const LabelForest forest = train(data, options, 3);
  CHECK(forest.trees[0].shape.num_children(0) > forest.trees[1].shape.num_children(0));
  CHECK(forest.trees[2].shape.num_nodes() == forest.trees[0].shape.num_nodes());
  options.clusters.root_clusters = 10;
  const LabelForest clustered = train(data, options, 2);
  CHECK_FALSE(clustered.trees[0].shape == forest.trees[0].shape);
  CHECK(clustered.trees[1].shape == forest.trees[1].shape);
}

TEST_CASE("a narrow beam finds fewer labels and says so") {
  Dataset data = synthetic_data(400, 40, 2);
  normalize_rows(data);
  const LabelForest forest = train(data, small_trees(), 1);
  const std::vector<ScoredLabel> got =
      ForestScorer(forest, kEqualCounts, 40, 1).predict(data, 0, 1);
  CHECK(got.size() == 40);
  CHECK(got[0].label != Scorer::kNoLabel);
  CHECK(got[39].label == Scorer::kNoLabel);
  CHECK(got[39].score == 0);
}

TEST_CASE("of labels that a forest is sure of, the more frequent rank first") {
  LabelForest forest;
  forest.num_features = 1;
  forest.num_labels = 4;
  LabelTree tree;
  tree.shape.slot_begin = {0, 2, 4, 6};
  tree.shape.labels = {0, 1, 2, 3};
  tree.bias = {2, 2, 3, 4, 0.99F, 0.5F};
  tree.row_begin = tree.weight_begin = {0, 0, 0, 0};
  tree.check("tree", 1, 4);
  tree.build_directory();
  forest.trees = {tree, tree};
  Dataset data = synthetic_data(1, 4, 1);
  const std::vector<std::uint64_t> counts = {5, 7, 7, 9};
  const std::vector<ScoredLabel> got = ForestScorer(forest, counts, 4).predict(data, 0, 1);
  CHECK(got[0].label == 1);
  CHECK(got[1].label == 2);
  CHECK(got[2].label == 0);
  CHECK(got[0].score == got[2].score);
  CHECK(got[3].label == 3);
}

TEST_CASE("forests do not depend on threads, nor on how a node's children are shared out") {
  Dataset data = synthetic_data(1500, 120, 3);
  normalize_rows(data);
  const int threads = num_threads();
  set_num_threads(1);
  const Document one = saved(train(data, small_trees(), 2));
  set_num_threads(3);
  CHECK(same(one, saved(train(data, small_trees(), 2))));
  set_num_threads(threads);

  const TreeShape shape = train(data, ForestOptions(), 1).trees[0].shape;
  const TreeExamples examples(data, shape);
  const std::vector<std::uint32_t> jobs(shape.num_nodes(), 1);
  NodeSource source(data, examples, jobs);
  NodeTrainer trainer(examples, source, NodeTrainerOptions());
  const std::uint32_t children = shape.num_children(1);
  REQUIRE(children > 32);
  const NodePart whole[] = {trainer.train(1, 0, children)};
  const NodePart parts[] = {trainer.train(1, 0, 16), trainer.train(1, 16, 32),
                            trainer.train(1, 32, children)};
  const NodeWeights together = join_parts(whole), apart = join_parts(parts);
  CHECK(together.features == apart.features);
  CHECK(together.ends == apart.ends);
  REQUIRE(together.weights.size() == apart.weights.size());
  std::size_t different = 0;
  for (std::size_t w = 0; w < together.weights.size(); ++w) {
    different += together.weights[w].child != apart.weights[w].child ||
                 together.weights[w].value() != apart.weights[w].value();
  }
  CHECK(different == 0);
}

namespace {

/// The first rank's forest. Each of the others has as many empty trees.
LabelForest train_on(int ranks, const Dataset& data, ForestOptions options) {
  LabelForest result;
  std::vector<std::size_t> kept(static_cast<std::size_t>(ranks));
  ThreadRanks(ranks).run([&](Communicator& rank) {
    LabelForest forest;
    CHECK(grow_forest(data, options, {}, forest, nullptr, &rank));
    CHECK(forest.trees.size() == options.trees);
    for (const LabelTree& tree : forest.trees)
      kept[static_cast<std::size_t>(rank.rank())] += tree.bias.size() + tree.weights.size();
    if (rank.rank() == 0) result = std::move(forest);
  });
  CHECK(kept[0] > 0);
  CHECK(std::count(kept.begin(), kept.end(), 0U) == ranks - 1);
  return result;
}

}  // namespace

TEST_CASE("forests do not depend on the number of ranks, and the first has them alone") {
  Dataset data = synthetic_data(1500, 120, 3);
  normalize_rows(data);
  const Document one = saved(train(data, small_trees(), 3));
  ForestOptions options = small_trees();
  options.trees = 3;
  for (const int ranks : {1, 2, 4, 5}) CHECK(same(one, saved(train_on(ranks, data, options))));
  options.trees = 1;  // of a single node, whose one job is the first rank's
  options.clusters.leaf_size = 200;
  LabelForest small;
  CHECK(grow_forest(data, options, {}, small));
  CHECK(same(saved(small), saved(train_on(3, data, options))));
}

TEST_CASE("a node that has all of the work is trained in parts, the same for threads and ranks") {
  Dataset data = synthetic_data(6000, 40, 3);  // three blocks of kDualLanes labels
  normalize_rows(data);
  ForestOptions options = small_trees();
  options.trees = 1;
  options.clusters.leaf_size = 100;
  int parts = 0;
  ForestObserver observer;
  observer.progress = [&](double) { return ++parts > 0; };
  LabelForest forest;
  CHECK(grow_forest(data, options, observer, forest));
  CHECK(forest.trees[0].shape.num_nodes() == 1);
  CHECK(parts == 3);
  CHECK(same(saved(forest), saved(train_on(3, data, options))));
  const int threads = num_threads();
  set_num_threads(1);
  CHECK(same(saved(forest), saved(train(data, options, 1))));
  set_num_threads(threads);
}

TEST_CASE("jobs are dealt by their work, the same on all ranks") {
  const std::vector<std::uint64_t> work = {1, 5, 3, 8, 2, 2};
  CHECK(deal_jobs(work, 1) == std::vector<std::uint32_t>(6, 0));
  CHECK(deal_jobs(work, 2) == std::vector<std::uint32_t>{0, 1, 1, 0, 0, 1});
}

TEST_CASE("a tree that one rank is told to stop stops on all, as does the forest between trees") {
  const Dataset data = synthetic_data(300, 40, 2);
  ForestOptions options = small_trees();
  options.trees = 3;
  ThreadRanks(3).run([&](Communicator& rank) {
    LabelForest forest;
    ForestObserver observer;
    observer.progress = [&](double trees) { return rank.rank() != 1 || trees < 1.5; };
    CHECK(!grow_forest(data, options, observer, forest, nullptr, &rank));
    CHECK(forest.trees.size() == 1);
    observer = {};
    observer.grown = [&] { return rank.rank() != 2; };
    CHECK(grow_forest(data, options, observer, forest, nullptr, &rank));
    CHECK(forest.trees.size() == 2);
  });
}

TEST_CASE("a tree stops when it is told to") {
  const Dataset data = synthetic_data(300, 50, 2);
  const ForestTrainer trainer(data, small_trees());
  int calls = 0;
  CHECK_FALSE(trainer.train(0, [&](double share) {
    CHECK(share > 0);
    CHECK(share <= 1);
    return ++calls < 3;
  }));
  CHECK(calls >= 3);
}

TEST_CASE("a forest that was stopped between trees goes on to the same trees") {
  const Dataset data = synthetic_data(300, 50, 2);
  ForestOptions options = small_trees();
  LabelForest forest;
  ForestObserver observer;
  observer.grown = [] { return false; };
  CHECK(grow_forest(data, options, observer, forest));
  CHECK(forest.trees.size() == 1);
  observer.grown = nullptr;
  observer.progress = [](double trees) { return trees < 1.9; };
  CHECK_FALSE(grow_forest(data, options, observer, forest));
  CHECK(forest.trees.size() == 1);
  CHECK(grow_forest(data, options, {}, forest));
  CHECK(same(saved(forest), saved(train(data, options, 3))));
}

TEST_CASE("a forest comes back from a document as it went") {
  Dataset data = synthetic_data(800, 60, 2);
  normalize_rows(data);
  const LabelForest forest = train(data, small_trees(), 2);
  const Document document = saved(forest);
  const LabelForest back = LabelForest::load(document, "m");
  CHECK(same(saved(back), document));
  const auto a = ForestScorer(forest, kEqualCounts, 5).predict(data, 0, 50);
  const auto b = ForestScorer(back, kEqualCounts, 5).predict(data, 0, 50);
  for (std::size_t i = 0; i < a.size(); ++i) {
    CHECK(a[i].label == b[i].label);
    CHECK(a[i].score == b[i].score);
  }
}

TEST_CASE("a document that lies is refused with the tree, the node and the finding") {
  Dataset data = synthetic_data(300, 30, 2);
  normalize_rows(data);
  const LabelForest forest = train(data, small_trees(), 1);
  const auto error_of = [&](const std::function<void(Document&)>& damage) {
    Document document = saved(forest);
    damage(document);
    return message_of([&] { LabelForest::load(document, "m"); });
  };
  CHECK(error_of([](Document& d) { d.metadata.erase("tree.labels"); }) ==
        "m: metadata 'tree.labels' is missing");
  CHECK(error_of([](Document& d) { d.metadata["tree.trees"] = "2"; }) ==
        "m: tensor 'tree.1.children' is missing, expected one axis of U32");
  CHECK(error_of([](Document& d) { d.metadata["tree.trees"] = "-1"; }) ==
        "m: metadata 'tree.trees' is '-1', expected a number from 1 to 1000");
  CHECK(error_of([](Document& d) { d.metadata["tree.trees"] = "0"; }) ==
        "m: metadata 'tree.trees' is '0', expected a number from 1 to 1000");
  CHECK(error_of([](Document& d) { d.metadata["tree.labels"] = "29"; }) ==
        "m: tree 0: label 29 is out of range, expected one of 29");
  CHECK(error_of([](Document& d) {
          auto labels = values<std::uint32_t>(d, "tree.0.labels");
          labels[1] = labels[0];
        }).find("stands twice, expected it once") != std::string::npos);
  CHECK(error_of([](Document& d) {
          values<std::uint32_t>(d, "tree.0.children")[0] = 0;
        }).find("m: tree 0: node 0 has the slots 0 to 0") == 0);
  CHECK(error_of([](Document& d) {
          values<std::uint32_t>(d, "tree.0.children")[0] += 1;
        }).find("m: tree 0: ") == 0);
  CHECK(error_of([](Document& d) {
          values<std::uint32_t>(d, "tree.0.features")[0] = 4000000000U;
        }).find("m: tree 0: node 0: feature 4000000000 is out of range or order") == 0);
  CHECK(error_of([](Document& d) {
          auto features = values<std::uint32_t>(d, "tree.0.features");
          std::swap(features[0], features[1]);
        }).find("is out of range or order") != std::string::npos);
  CHECK(error_of([](Document& d) {
          values<std::uint32_t>(d, "tree.0.rows")[1] += 1;
        }).find("m: tree 0: row_begin") == 0);
  CHECK(error_of([](Document& d) {
          values<std::uint32_t>(d, "tree.0.row_ends")[0] = 77777;
        }).find("m: tree 0: node 0: a row ends at 77777") == 0);
  CHECK(error_of([](Document& d) {
          values<std::uint32_t>(d, "tree.0.weight_counts")[0] += 1;
        }).find("m: tree 0: weight_begin") == 0);
  CHECK(error_of([](Document& d) {
          values<std::uint16_t>(d, "tree.0.weight_children")[0] = 60000;
        }).find("of child 60000, expected a number and one of") != std::string::npos);
  CHECK(error_of([](Document& d) {
          values<BFloat16>(d, "tree.0.weights")[0].bits = 0x7fc0;
        }).find("m: tree 0: node 0: weight nan") == 0);
  CHECK(error_of([](Document& d) {
          values<float>(d, "tree.0.bias")[0] = std::nanf("");
        }).find("m: tree 0: bias") == 0);
}

TEST_CASE("a forest that goes on keeps what its new data say nothing of, and learns new labels") {
  const Dataset all = synthetic_data(1500, 60, 2, 5);
  Dataset known, fresh;  // labels below 40, and the others
  for (Dataset* part : {&known, &fresh}) {
    part->num_features = all.num_features;
    part->num_labels = part == &known ? 40 : 60;
    for (std::size_t i = 0; i < all.size(); ++i) {
      const auto labels = all.labels_of(i);
      const bool old = std::all_of(labels.begin(), labels.end(), [](auto l) { return l < 40; });
      const bool young = std::all_of(labels.begin(), labels.end(), [](auto l) { return l >= 40; });
      if (part == &known ? !old : !young) continue;
      for (const std::uint32_t f : all.features_of(i)) part->features.push_back(f);
      for (const float v : all.values_of(i)) part->values.push_back(v);
      for (const std::uint32_t l : labels) part->labels.push_back(l);
      part->feature_begin.push_back(part->features.size());
      part->label_begin.push_back(part->labels.size());
    }
  }
  const LabelForest first = train(known, small_trees(), 2);
  const double before = precision_at_1(ForestScorer(first, kEqualCounts, 1), known);
  const ForestStart start = extend_forest(train(known, small_trees(), 2), fresh);
  for (const LabelTree& tree : start.forest.trees) {
    tree.check("start", 240 + 20, 60);
    CHECK(tree.shape.labels.size() == 60);
  }
  ForestOptions options = small_trees();
  options.trees = 2;
  LabelForest second;
  REQUIRE(grow_forest(fresh, options, {}, second, &start));
  for (const LabelTree& tree : second.trees) tree.check("second", 240 + 20, 60);
  CHECK(before > 0.9);
  CHECK(precision_at_1(ForestScorer(second, kEqualCounts, 1), known) > before - 0.15);
  CHECK(precision_at_1(ForestScorer(second, kEqualCounts, 1), fresh) > 0.9);
  // Without examples nothing changes but that the labels have places.
  Dataset none;
  none.num_features = all.num_features;
  none.num_labels = 40;
  LabelForest same_again;
  const ForestStart nothing_new = extend_forest(first, none);
  REQUIRE(grow_forest(none, options, {}, same_again, &nothing_new));
  CHECK(same(saved(first), saved(same_again)));
}
