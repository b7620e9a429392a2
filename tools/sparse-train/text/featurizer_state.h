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
#include "tools/sparse-train/text/number_features.h"
#include "tools/sparse-train/text/weighting.h"

namespace frugal::sparse {

/// State of a Featurizer: what fit() determines and a model stores.
struct FeaturizerState {
  FeatureOptions options;
  InputLayout layout;  ///< layout of the training data, which later inputs must match
  // Featurizer::set_input():
  std::string input_format = "auto", input_header = "auto", input_separator = "auto",
              input_weights = "none";
  Weighting weighting;
  bool sparse = false;  ///< features are ids from the input, not n-grams
  bool fitted = false;
  std::uint32_t num_features = 0;
  LabelTable labels;
  std::vector<NumberFeatures> numbers;  ///< of the columns of numbers
  std::vector<std::uint64_t>
      keys;  ///< hash of each feature; empty if features are ids from the input
  /// Stand for `keys`, which are empty then, in a featurizer of a lent document.
  std::span<const std::uint64_t> lent_keys;
  std::vector<std::string> names;  ///< name of each feature; empty unless requested

  /// Most bytes of examples in memory.
  std::uint64_t memory_limit() const;
  std::string spill_folder() const;

  /// Replaces "auto" by a definite weighting.
  void choose_weighting(bool has_values);

  /// Layout of an input after the training data.
  InputLayout match(Labels labels, const std::string& name, std::string_view head) const;
  /// Fails (bad_input) if one of both has text and the other has features as ids.
  void check_kind(const InputLayout& input, const std::string& name) const;
  /// Replaces labels and features by the ids that fit() determined, and drops unknown ones.
  void apply(const InputLayout& input, std::span<const std::uint64_t> hashes,
             ExamplePiece& piece) const;
  /// Sets a dataset's numbers of ids and, if it is `spilled`, how it may be shuffled.
  void complete(Dataset& data, bool spilled) const;

  /// `keys`, or those lent.
  std::span<const std::uint64_t> all_keys() const;
  /// Features of the hashes, or HashIndex::kMissing.
  std::vector<std::uint32_t> find(std::span<const std::uint64_t> hashes) const;

  /// Built on first use: training itself looks up no hashes.
  const HashIndex& index() const;
  KnownFeatures known() const {
    return {&numbers, sparse || !layout.has_categories() ? nullptr : &index()};
  }
  mutable std::mutex index_mutex;
  mutable std::unique_ptr<HashIndex> built_index;
  mutable std::size_t num_scans = 0;  ///< look-ups without an index so far
};

/// Reads names that Featurizer::save() or other programs stored in two tensors.
std::vector<std::string> load_names(const std::string& names_tensor, const std::string& ends_tensor,
                                    const Document& model);

/// Reads the hashes of features, whole or short, that Featurizer::save() stored; nothing if there
/// are none.
std::optional<std::vector<std::uint64_t>> load_hashes(const Document& model);

/// Implements Featurizer::fit() and extend() for text.
Dataset learn(FeaturizerState& state, const std::string& path);

}  // namespace frugal::sparse
