#include "tools/sparse-train/tree/k_means.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "libcore/threading/parallel.h"
#include "tests/tools/sparse-train/synthetic_data.h"

using namespace frugal;
using namespace frugal::sparse;

TEST_CASE("k-means finds groups of any size, and no other") {
  // Label l has a feature of its own and a stronger one of its group: 0 has 40 labels, 1 has 8, 2
  // has 2.
  const auto group_of = [](std::uint32_t l) { return l < 40 ? 0U : l < 48 ? 1U : 2U; };
  SparseRows rows;
  rows.num_features = 53;
  for (std::uint32_t l = 0; l < 50; ++l) {
    rows.features.insert(rows.features.end(), {l, 50 + group_of(l)});
    rows.values.insert(rows.values.end(), {0.1F, 0.995F});
    rows.begin.push_back(rows.features.size());
  }
  std::vector<std::uint32_t> labels(50);
  std::iota(labels.begin(), labels.end(), 0U);
  // Many centres: each group gets one from the start.
  const std::vector<std::uint32_t> clusters = k_means(rows, labels, 40, Rng(1));
  std::set<std::uint32_t> groups_of_cluster[50];
  REQUIRE(clusters.size() == 50);
  for (std::uint32_t l = 0; l < 50; ++l) {
    REQUIRE(clusters[l] < 40);
    groups_of_cluster[clusters[l]].insert(group_of(l));
  }
  for (const std::set<std::uint32_t>& groups : groups_of_cluster) CHECK(groups.size() <= 1);
}

TEST_CASE("k-means ends where every label is in the cluster of the nearest centre") {
  SparseRows rows;
  rows.num_features = 120;
  for (std::uint32_t l = 0; l < 120; ++l) {  // 20 groups of 1 to 11 labels
    const auto group = static_cast<std::uint32_t>(std::sqrt(3.3 * l));
    rows.features.insert(rows.features.end(), {group, 20 + l % 100});
    rows.values.insert(rows.values.end(), {0.8F, 0.6F});
    rows.begin.push_back(rows.features.size());
  }
  std::vector<std::uint32_t> labels(120);
  std::iota(labels.begin(), labels.end(), 0U);
  for (const std::uint32_t k : {3U, 16U, 40U}) {
    const std::vector<std::uint32_t> clusters = k_means(rows, labels, k, Rng(2));
    std::vector<std::vector<double>> centres(k, std::vector<double>(rows.num_features));
    for (std::uint32_t l = 0; l < 120; ++l) {
      for (std::uint64_t j = rows.begin[l]; j < rows.begin[l + 1]; ++j)
        centres[clusters[l]][rows.features[j]] += static_cast<double>(rows.values[j]);
    }
    for (std::vector<double>& centre : centres) {
      const double length =
          std::sqrt(std::inner_product(centre.begin(), centre.end(), centre.begin(), 0.0));
      for (double& x : centre) x /= std::max(length, 1e-30);
    }
    std::size_t elsewhere = 0;
    for (std::uint32_t l = 0; l < 120; ++l) {
      std::vector<double> similarity(k);
      for (std::uint32_t c = 0; c < k; ++c) {
        for (std::uint64_t j = rows.begin[l]; j < rows.begin[l + 1]; ++j)
          similarity[c] += static_cast<double>(rows.values[j]) * centres[c][rows.features[j]];
      }
      elsewhere +=
          similarity[clusters[l]] < *std::max_element(similarity.begin(), similarity.end()) - 1e-3;
    }
    CHECK(elsewhere == 0);
  }
}

TEST_CASE("k-means looks at the given labels alone, and does not depend on threads") {
  const SparseRows rows = label_features(synthetic_data(2000, 300, 2));
  std::vector<std::uint32_t> labels;
  for (std::uint32_t l = 1; l < 300; l += 2) labels.push_back(l);
  const int threads = num_threads();
  set_num_threads(1);
  const std::vector<std::uint32_t> one = k_means(rows, labels, 20, Rng(5));
  set_num_threads(3);
  CHECK(k_means(rows, labels, 20, Rng(5)) == one);
  set_num_threads(threads);
  CHECK(one.size() == labels.size());
  CHECK(*std::max_element(one.begin(), one.end()) < 20);
  CHECK(k_means(rows, labels, 20, Rng(6)) != one);
  const std::vector<std::uint32_t> few = {7, 11};
  for (const std::uint32_t cluster : k_means(rows, few, 20, Rng(5))) CHECK(cluster < 2);
  CHECK(k_means(rows, {}, 20, Rng(5)).empty());
}
