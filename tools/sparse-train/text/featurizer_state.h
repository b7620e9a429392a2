#pragma once
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "libcore/base/hash_index.h"
#include "libcore/tensors/tensor_file.h"
#include "tools/sparse-train/data/feature_options.h"
#include "tools/sparse-train/data/input_layout.h"
#include "tools/sparse-train/data/layout_match.h"
#include "tools/sparse-train/text/example_parser.h"
#include "tools/sparse-train/text/label_table.h"
#include "tools/sparse-train/text/number_bins.h"
#include "tools/sparse-train/text/weighting.h"

namespace frugal::sparse {

/// What fit() fixes and a model document stores.
struct FeaturizerState {
  FeatureOptions options;
  InputLayout layout;  ///< of the training data: what later inputs are compared with
  // Featurizer::set_input():
  std::string input_format = "auto", input_header = "auto", input_separator = "auto",
              input_weights = "none";
  Weighting weighting;
  bool sparse = false;  ///< features are ids of the input, not n-grams
  bool fitted = false;
  std::uint32_t num_features = 0;
  LabelTable labels;
  std::vector<NumberBins> bins;  ///< of the columns of numbers
  std::vector<std::uint64_t>
      keys;  ///< hashes of features by id; none where they are ids of the input
  std::vector<std::string> names;  ///< of features by id; none unless they were asked for

  /// Bytes of examples that may be in memory.
  std::uint64_t memory_limit() const;
  std::string spill_folder() const;

  /// Makes "auto" definite.
  void choose_weighting(bool has_values);

  /// The layout of an input that comes after the training data.
  InputLayout match(Labels labels, const std::string& name, std::string_view head) const;
  /// Fails (bad_input) where one has text and the other features as ids.
  void check_kind(const InputLayout& input, const std::string& name) const;
  /// Gives labels and features the ids that fit() fixed; drops the others.
  void apply(const InputLayout& input, std::span<const std::uint64_t> hashes,
             ExamplePiece& piece) const;
  /// Tells a dataset how many ids there are, and how it may be shuffled if it is `spilled`.
  void complete(Dataset& data, bool spilled) const;

  /// Built on the first use: training itself never looks a hash up.
  const HashIndex& index() const {
    const std::lock_guard lock(index_mutex);
    if (!built_index) built_index = std::make_unique<HashIndex>(keys);
    return *built_index;
  }
  KnownFeatures known() const { return {&bins, sparse ? nullptr : &index()}; }
  mutable std::mutex index_mutex;
  mutable std::unique_ptr<HashIndex> built_index;
};

/// Names that Featurizer::save() or other programs stored in two tensors.
std::vector<std::string> load_names(const std::string& names_tensor, const std::string& ends_tensor,
                                    const Document& model);

/// The hashes of features, whole or short, that Featurizer::save() stored; none where there are
/// none.
std::optional<std::vector<std::uint64_t>> load_hashes(const Document& model);

/// Featurizer::fit() and extend() of text.
Dataset learn(FeaturizerState& state, const std::string& path);

}  // namespace frugal::sparse
