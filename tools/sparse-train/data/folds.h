#pragma once
#include <cstdint>
#include <string>

#include "tools/sparse-train/data/dataset.h"

namespace frugal::sparse {

/// One in so many examples is held out of a fold.
inline constexpr std::uint64_t kFolds = 5;

/// How counts of features become a dataset to learn from; as FeatureOptions says.
struct FoldFeatures {
  std::uint32_t min_count = 1;
  std::uint32_t max_features = 0;
  std::string weighting = "tfidf";
  bool normalize = true;
};

/// A dataset divided into examples to learn from and others to score what was learnt.
struct Fold {
  Dataset training;
  Dataset held_out;
};

/// Fold number `number` of `counts`, whose values are numbers of occurrences and whose features
/// fall with frequency; it is sorted (sort_features()). The features are those that the training
/// examples have in at least min_count, the weights those that they say: what is held out is as
/// unknown as a test set. Which examples are held out depends on the seed and their numbers.
Fold make_fold(const Dataset& counts, std::uint64_t number, const FoldFeatures& features,
               std::uint64_t seed);

}  // namespace frugal::sparse
