#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "libcore/io/tensor_file.h"
#include "tools/sparse-train/dataset.h"

namespace frugal {

/// How inputs become features; stored in the model, so that predict needs nothing else.
struct FeatureOptions {
  std::string format = "auto";     ///< fasttext, csv, tsv, xmc, or auto by name and first line
  std::string text_columns;        ///< CSV/TSV: names or 1-based numbers, comma-separated; "" = all but the label's
  std::string label_column;        ///< CSV/TSV: name or number; "" = the first
  std::string label_separator;     ///< splits the label field into several labels; "" = one label
  std::string header = "auto";     ///< CSV/TSV first line names the columns: auto, yes, no
  std::string label_prefix = "__label__";  ///< fastText format
  int word_ngrams = 2;             ///< 1..5: all n-grams up to this length
  bool lower_case = true;
  int min_count = 1;               ///< n-grams seen less often in training are dropped
  std::uint32_t max_features = 0;  ///< keep the most frequent n-grams; 0 = all
  std::string weighting = "none";  ///< none, tfidf: how an example's features are weighted
  std::uint64_t skip_bad = 0;      ///< bad lines to pass over before giving up
};

/// Turns inputs into Datasets. fit() sees the training data and fixes vocabulary, label names and
/// weights; read() applies them: unseen n-grams are dropped, unseen labels are an error or ignored.
class Featurizer {
 public:
  explicit Featurizer(FeatureOptions options);
  /// Restores what save() stored in a model document; fails (bad_input) naming what is missing.
  explicit Featurizer(const Document& model);
  ~Featurizer();
  Featurizer(Featurizer&&) noexcept;
  Featurizer& operator=(Featurizer&&) noexcept;

  /// Reads the training data (path or "-") once, all cores, and fixes the vocabulary.
  Dataset fit(const std::string& path);
  /// Reads labelled data with the fixed vocabulary; labels never seen in training keep the example (it
  /// counts as an error in evaluation) but are dropped from its label list.
  Dataset read(const std::string& path) const;
  /// Features of one unlabelled line in the same format (predict); appends to the dataset, with labels if
  /// the line has some.
  void add_line(std::string_view line, Dataset& dataset) const;

  std::uint32_t num_features() const;
  std::uint32_t num_labels() const;
  const std::vector<std::string>& label_names() const;  ///< by label id; "0", "1" ... for XMC
  const FeatureOptions& options() const;

  /// Adds the vocabulary, label names and options to a model document.
  void save(Document& model) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace frugal
