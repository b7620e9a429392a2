#pragma once
#include <cstdint>
#include <string>

#include "tools/sparse-train/data/dataset.h"
#include "tools/sparse-train/data/input_layout.h"

namespace frugal::sparse {

/// A file of text examples, or a random sample of it if its records have more than `most_bytes`
/// bytes. The sample has about that many bytes and is stored in a temporary file, which the
/// destructor removes. Whether a record is in the sample depends only on the seed and the record's
/// number.
class TextSample {
 public:
  TextSample(const std::string& data, const FeatureOptions& features, std::uint64_t most_bytes,
             std::uint64_t seed);
  ~TextSample();
  TextSample(const TextSample&) = delete;
  TextSample& operator=(const TextSample&) = delete;

  /// The file of the examples: the data file itself, or the temporary file.
  const std::string& path() const { return path_; }
  const InputLayout& layout() const { return layout_; }
  std::uint64_t num_examples() const { return num_examples_; }
  /// Total size of the records, without line ends.
  std::uint64_t num_bytes() const { return num_bytes_; }
  /// True if more than an eighth of the data's bytes are in scripts that do not separate words by
  /// blanks, such as Chinese and Thai, or that write a syllable as one character, such as Hangul.
  bool has_dense_script() const { return has_dense_script_; }
  /// True if this is a sample, which lacks some of the file's examples.
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

/// Number of folds. Each fold holds out about a fifth of the examples.
inline constexpr std::uint64_t kFolds = 5;

/// Options for making a training set of counts of features; same meanings as in FeatureOptions.
struct FoldFeatures {
  std::uint32_t min_count = 1;
  std::uint32_t max_features = 0;
  std::string weighting = "tfidf";
  bool normalize = true;
};

/// A dataset divided into training examples and held-out examples, which score the trained model.
struct Fold {
  Dataset training;
  Dataset held_out;
};

/// Makes fold number `number`, below kFolds, in the place of another fold, whose memory it uses.
/// Values of `counts` are numbers of occurrences, and its features are numbered from the most to
/// the least frequent. A feature is kept if at least min_count training examples have it. The
/// held-out examples take no part in choosing features and computing idf, so they are like a test
/// set. Features of the fold's examples are sorted by sort_features(). Whether an example is held
/// out depends only on the seed and its number.
void make_fold(const Dataset& counts, std::uint64_t number, const FoldFeatures& options,
               std::uint64_t seed, Fold& fold);

}  // namespace frugal::sparse
