#include "tools/sparse-train/text/folds.h"

#include <doctest/doctest.h>

#include <cmath>

using namespace frugal;
using namespace frugal::sparse;

namespace {

/// Example i has feature 0 twice, and feature 1 + i alone.
Dataset counts(std::uint32_t examples) {
  Dataset data;
  data.num_features = 1 + examples;
  data.num_labels = 2;
  data.sorted = true;
  for (std::uint32_t i = 0; i < examples; ++i) {
    data.features.push_back(0);
    data.features.push_back(1 + i);
    data.values.push_back(2);
    data.values.push_back(1);
    data.labels.push_back(i % 2);
    data.feature_begin.push_back(data.features.size());
    data.label_begin.push_back(data.labels.size());
  }
  return data;
}

Fold fold_of(const Dataset& data, std::uint64_t number, const FoldFeatures& features,
             std::uint64_t seed) {
  Fold fold;
  make_fold(data, number, features, seed, fold);
  return fold;
}

}  // namespace

TEST_CASE("every example is held out of one fold and learnt from in the others") {
  const Dataset data = counts(100);
  std::size_t held_out = 0;
  for (std::uint64_t f = 0; f < kFolds; ++f) {
    const Fold fold = fold_of(data, f, {}, 1);
    CHECK(fold.training.size() + fold.held_out.size() == 100);
    CHECK(fold.held_out.size() > 5);
    held_out += fold.held_out.size();
  }
  CHECK(held_out == 100);
}

TEST_CASE("a fold knows the features of its training examples alone") {
  const Fold fold = fold_of(counts(100), 2, {}, 1);
  CHECK(fold.training.num_features == 1 + fold.training.size());
  for (std::size_t i = 0; i < fold.held_out.size(); ++i) {
    REQUIRE(fold.held_out.features_of(i).size() == 1);  // its own is not known
    CHECK(fold.held_out.features_of(i)[0] == 0);
    CHECK(fold.held_out.values_of(i)[0] == doctest::Approx(1));
  }
}

TEST_CASE("a fold's weights are those of its training examples") {
  const Fold fold = fold_of(counts(100), 0, {}, 1);
  const double n = static_cast<double>(fold.training.size());
  const double common = std::log1p(2.0), own = std::log1p(1.0) * (1 + std::log((1 + n) / 2));
  CHECK(fold.training.values_of(0)[0] ==
        doctest::Approx(common / std::sqrt(common * common + own * own)));
}

TEST_CASE("a fold in the place of another is as a new one") {
  FoldFeatures plain;
  plain.weighting = "none";
  plain.normalize = false;
  Fold fold;
  make_fold(counts(300), 1, {}, 1, fold);
  make_fold(counts(100), 4, plain, 1, fold);
  make_fold(counts(200), 3, {}, 1, fold);
  const Fold fresh = fold_of(counts(200), 3, {}, 1);
  CHECK(fingerprint(fold.training) == fingerprint(fresh.training));
  CHECK(fingerprint(fold.held_out) == fingerprint(fresh.held_out));
  CHECK(fold.training.num_features == fresh.training.num_features);
}

TEST_CASE("rare features and those beyond the most frequent are left out") {
  FoldFeatures features;
  features.min_count = 2;
  CHECK(fold_of(counts(100), 0, features, 1).training.num_features == 1);
  features.min_count = 1;
  features.max_features = 5;
  CHECK(fold_of(counts(100), 0, features, 1).training.num_features == 5);
  features.weighting = "none";
  features.normalize = false;
  CHECK(fold_of(counts(100), 0, features, 1).training.values.empty());
}
