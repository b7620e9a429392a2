#include "tools/sparse-train/tree/label_clusters.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "libcore/threading/parallel.h"
#include "tests/tools/sparse-train/synthetic_data.h"

using namespace frugal;
using namespace frugal::sparse;

namespace {

TreeShape tree_of(const Dataset& data, const ClusterOptions& options) {
  return cluster_labels(label_features(data), std::vector<bool>(data.num_labels, true), options);
}

/// Two groups of 40 labels; those of a group have a feature in common.
Dataset two_groups() {
  Dataset data;
  data.num_labels = 80;
  data.num_features = 82;
  for (std::uint32_t l = 0; l < 80; ++l) {
    data.features.push_back(l);
    data.features.push_back(80 + l % 2);
    data.values.push_back(1);
    data.values.push_back(3);
    data.labels.push_back(l);
    data.feature_begin.push_back(data.features.size());
    data.label_begin.push_back(data.labels.size());
  }
  return data;
}

}  // namespace

TEST_CASE("a label's features are the sum of its examples' directions") {
  Dataset data;
  data.num_features = 3;
  data.num_labels = 3;
  data.features = {0, 1, 2, 2};
  data.values = {3, 4, 5, 1};
  data.feature_begin = {0, 2, 3, 4};
  data.labels = {0, 0, 2, 2};
  data.label_begin = {0, 1, 3, 4};
  const SparseRows rows = label_features(data);
  CHECK(rows.begin == std::vector<std::uint64_t>{0, 3, 3, 4});
  CHECK(rows.features == std::vector<std::uint32_t>{0, 1, 2, 2});
  const float length = std::sqrt(2.0f);
  CHECK(rows.values[0] == doctest::Approx(0.6f / length));
  CHECK(rows.values[1] == doctest::Approx(0.8f / length));
  CHECK(rows.values[2] == doctest::Approx(1 / length));
  CHECK(rows.values[3] == doctest::Approx(1));
}

TEST_CASE("clusters are balanced, hold every label once and obey the options") {
  const Dataset data = synthetic_data(2000, 300, 2);
  for (const std::uint32_t leaf_size : {2U, 7U, 20U, 100U, 300U}) {
    for (const std::uint32_t arity : {2U, 8U, 64U}) {
      CAPTURE(leaf_size);
      CAPTURE(arity);
      ClusterOptions options;
      options.leaf_size = leaf_size;
      options.arity = arity;
      const TreeShape shape = tree_of(data, options);
      shape.check("tree", data.num_labels);
      CHECK(shape.labels.size() == 300);
      std::uint32_t least = 300, most = 0;
      for (std::uint32_t n = 0; n < shape.num_nodes(); ++n) {
        if (!shape.is_leaf(n)) {
          CHECK(shape.num_children(n) <= 2 * arity);
          continue;
        }
        least = std::min(least, shape.num_children(n));
        most = std::max(most, shape.num_children(n));
      }
      CHECK(most <= leaf_size);
      CHECK(most - least <= 1);
    }
  }
  ClusterOptions shallow;
  shallow.leaf_size = 5;
  shallow.depth = 1;
  const TreeShape shape = tree_of(data, shallow);
  CHECK(shape.num_children(0) == 64);
  CHECK(shape.num_nodes() == 65);
}

TEST_CASE("a root of clusters of any size has two levels below it, and every label once") {
  const Dataset data = synthetic_data(2000, 300, 2);
  for (const std::uint32_t leaf_size : {2U, 20U, 299U, 300U}) {
    for (const std::uint32_t clusters : {2U, 30U, 1000U}) {
      CAPTURE(leaf_size);
      CAPTURE(clusters);
      ClusterOptions options;
      options.leaf_size = leaf_size;
      options.root_clusters = clusters;
      const TreeShape shape = tree_of(data, options);
      shape.check("tree", data.num_labels);
      CHECK(shape.labels.size() == 300);
      if (leaf_size == 300) {
        CHECK(shape.num_nodes() == 1);
        continue;
      }
      CHECK(shape.num_children(0) <= std::min(clusters, 300U));
      CHECK(shape.num_children(0) > 1);
      for (std::uint32_t n = 1; n < shape.num_nodes(); ++n) {
        CHECK(shape.is_leaf(n) == (n > shape.num_children(0)));
        if (shape.is_leaf(n)) CHECK(shape.num_children(n) <= leaf_size);
      }
    }
  }
}

TEST_CASE("clusters bring together labels that share features") {
  const Dataset data = two_groups();
  ClusterOptions options;
  options.leaf_size = 40;
  const TreeShape shape = tree_of(data, options);
  std::set<std::uint32_t> first, second;
  for (std::uint32_t s = shape.slot_begin[1]; s < shape.slot_begin[2]; ++s)
    first.insert(shape.label_of(s) % 2);
  for (std::uint32_t s = shape.slot_begin[2]; s < shape.slot_begin[3]; ++s)
    second.insert(shape.label_of(s) % 2);
  CHECK(first.size() + second.size() == 2);
}

TEST_CASE("a cluster that fills a leaf is one") {
  ClusterOptions options;
  options.leaf_size = 40;
  options.root_clusters = 2;
  CHECK(tree_of(two_groups(), options).num_nodes() == 1 + 2 + 2);
}

TEST_CASE("clusters leave out labels without examples, and do not depend on threads") {
  const Dataset data = synthetic_data(3000, 500, 3);
  std::vector<bool> carried(500, true);
  carried[3] = carried[400] = false;
  ClusterOptions options;
  options.leaf_size = 10;
  options.seed = 9;
  const int threads = num_threads();
  set_num_threads(1);
  const SparseRows rows = label_features(data);
  const TreeShape one = cluster_labels(rows, carried, options);
  set_num_threads(3);
  CHECK(label_features(data).values == rows.values);
  CHECK(cluster_labels(rows, carried, options) == one);
  set_num_threads(threads);
  CHECK(one.labels.size() == 498);
  CHECK(std::find(one.labels.begin(), one.labels.end(), 3U) == one.labels.end());
  options.seed = 10;
  CHECK_FALSE(cluster_labels(rows, carried, options) == one);
  options.root_clusters = 12;
  const TreeShape clustered = cluster_labels(rows, carried, options);
  CHECK(clustered.labels.size() == 498);
  options.seed = 9;
  CHECK_FALSE(cluster_labels(rows, carried, options) == clustered);
}
