#pragma once
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "tools/sparse-train/data/example_parser.h"
#include "tools/sparse-train/data/featurizer.h"
#include "tools/sparse-train/data/hash_index.h"
#include "tools/sparse-train/data/input_layout.h"
#include "tools/sparse-train/data/label_table.h"
#include "tools/sparse-train/data/weighting.h"

namespace frugal {

/// What fit() fixes and a model document stores.
struct Featurizer::State {
  FeatureOptions options;
  InputLayout layout;  ///< of the training data: what add_line() expects
  Weighting weighting;
  bool sparse = false;  ///< features are ids of the input, not n-grams
  std::uint32_t num_features = 0;
  LabelTable labels;
  std::vector<std::uint64_t> keys;  ///< hashes of n-grams by id; none for XMC and svmlight

  /// Fixes names or number of labels and gives the pieces' labels their ids.
  void fit_labels(std::vector<ExamplePiece>& pieces);
  /// Fixes the features and gives them ids.
  void fit_features(std::vector<ExamplePiece>& pieces);
  /// Fails (bad_input) where one has text and the other features as ids.
  void check_kind(const InputLayout& input, const std::string& name) const;
  /// Gives labels and features the ids that fit() fixed; drops the others.
  void apply(const InputLayout& input, std::span<const std::uint64_t> hashes,
             ExamplePiece& piece) const;

  /// Built on the first use: training itself never looks a hash up.
  const HashIndex& index() const {
    std::call_once(index_once, [&] { built_index = std::make_unique<HashIndex>(keys); });
    return *built_index;
  }
  mutable std::once_flag index_once;
  mutable std::unique_ptr<HashIndex> built_index;
};

}  // namespace frugal
