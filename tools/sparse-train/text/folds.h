#pragma once
#include <cstdint>
#include <string>

#include "tools/sparse-train/data/dataset.h"
#include "tools/sparse-train/data/input_layout.h"

namespace frugal::sparse {

/// A file's examples: the file itself, or where it has more than `most_bytes` of text about so many
/// bytes of its records in a temporary file, which goes with the object. Which records these are
/// depends on the seed and their numbers alone.
class TextSample {
 public:
  TextSample(const std::string& data, const FeatureOptions& features, std::uint64_t most_bytes,
             std::uint64_t seed);
  ~TextSample();
  TextSample(const TextSample&) = delete;
  TextSample& operator=(const TextSample&) = delete;

  const std::string& path() const { return path_; }
  const InputLayout& layout() const { return layout_; }
  std::uint64_t num_examples() const { return num_examples_; }
  std::uint64_t num_bytes() const { return num_bytes_; }
  /// Whether much of the file's text is in scripts that write no blanks between words, or a
  /// syllable as a character.
  bool has_dense_script() const { return has_dense_script_; }
  /// Whether some of the file's examples were left out.
  bool is_part() const { return !folder_.empty(); }

 private:
  void write_part(const std::string& data, double share, std::uint64_t seed);

  InputLayout layout_;
  std::string folder_;
  std::string path_;
  std::uint64_t num_examples_ = 0;
  std::uint64_t num_bytes_ = 0;
  bool has_dense_script_ = false;
};

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
Fold make_fold(const Dataset& counts, std::uint64_t number, const FoldFeatures& options,
               std::uint64_t seed);

}  // namespace frugal::sparse
