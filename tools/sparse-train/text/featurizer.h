#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "libcore/tensors/tensor_file.h"
#include "tools/sparse-train/data/dataset.h"
#include "tools/sparse-train/data/feature_options.h"

namespace frugal::sparse {

/// With definite values where the options leave n-grams or min_count to the data.
FeatureOptions with_default_ngrams(FeatureOptions options);

/// The options that decide what features are, as one line.
std::string options_text(const FeatureOptions& options);

struct FeaturizerState;
struct InputLayout;

/// Turns inputs into Datasets: every feature of an example once, in the order of first occurrence,
/// with a value as the weighting says. Ids fall with frequency (number of examples), ties by first
/// occurrence, so hot rows are neighbours. Results do not depend on the number of threads, nor on
/// whether the data fit into memory. fit() sees the training data and fixes vocabulary, label names
/// and weights; read() applies them: unseen features are dropped.
class Featurizer {
 public:
  explicit Featurizer(FeatureOptions options);
  /// Restores what save() stored in a model document; fails (bad_input) naming what is missing.
  /// Lent, the features' hashes and weights stay there: for read(), and not for extend().
  explicit Featurizer(const Document& model, Elements elements = Elements::copied);
  ~Featurizer();
  Featurizer(Featurizer&&) noexcept;
  Featurizer& operator=(Featurizer&&) noexcept;

  /// Reads the training data (path or "-") once, all cores, and fixes the vocabulary.
  Dataset fit(const std::string& path);
  /// Goes on with more training data: features and labels that are known keep their ids (and
  /// features their idf), new ones get ids behind them, features in at least min_count examples of
  /// this data. The dataset holds the new data alone.
  Dataset extend(const std::string& path);
  /// Reads labelled data with the fixed vocabulary; labels never seen in training have ids behind
  /// the others (Dataset::unknown_labels).
  Dataset read(const std::string& path) const;
  /// Makes the unknown labels of such data known.
  void take_labels(Dataset& data);
  /// The layout of an input to predict that begins with `head` (layout_match.h).
  InputLayout layout_of(const std::string& name, std::string_view head) const;
  /// Takes what later inputs are said to be, for extend(), read() and layout_of(): format, header
  /// and separator, if not "auto" ("text" is one unlabelled text a line); and max_memory,
  /// cache_dir and skip_bad, which a model does not store.
  void set_input(const FeatureOptions& options);

  std::uint32_t num_features() const;
  std::uint32_t num_labels() const;
  const std::vector<std::string>& label_names() const;  ///< by label id; "0", "1" ... for XMC
  std::string label_name(std::uint32_t label) const;
  /// Reads `path` again, the data of fit(), and keeps the name of each feature.
  void learn_names(const std::string& path);
  /// By feature id; empty unless learn_names() was called. "" where the name is not known.
  const std::vector<std::string>& feature_names() const;
  const FeatureOptions& options() const;
  /// Whether records have text to cut into n-grams.
  bool reads_text() const;
  bool reads_columns() const;
  bool is_number_table() const;

  /// Keeps no more bits of the features' hashes than tell them apart well enough: an n-gram that is
  /// none of them is taken for one once in 250 to 500 times, and of those that are, half as
  /// many for a more frequent one. Leaves them whole where these are more than one in 200.
  void shorten_hashes();

  /// Adds the vocabulary, label names and options to a model document.
  void save(Document& model) const;

 private:
  friend class RecordFeaturizer;
  Dataset learn_tensors(const std::string& path);
  Dataset read_tensors(const std::string& path) const;
  Dataset weighted(Dataset data, const std::string& path) const;

  std::unique_ptr<FeaturizerState> state_;
};

}  // namespace frugal::sparse
