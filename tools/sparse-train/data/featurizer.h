#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "libcore/io/tensor_file.h"
#include "tools/sparse-train/data/dataset.h"

namespace frugal {

/// How inputs become features; stored in the model, so that predict needs nothing else.
struct FeatureOptions {
  std::string format = "auto";  ///< a name of text_formats() (libcore/io/formats.h), or auto
  std::string text_columns;  ///< CSV/TSV: names or 1-based numbers, comma-separated; "" = all but
                             ///< the label's
  std::string label_column;  ///< CSV/TSV: name or number; "" = the first
  std::string label_separator;  ///< splits the label field into several labels; "" = one label
  std::string header = "auto";  ///< CSV/TSV first line names the columns: auto, yes, no
  std::string label_prefix = "__label__";  ///< fastText format
  /// How a text falls into words: words = runs of letters, digits, '_' and bytes from 0x80 on;
  /// punctuation = these, and every other mark is a word of its own; spaces = what stands between
  /// white space (as fastText does).
  std::string tokenizer = "words";
  int word_ngrams = 2;             ///< 1..5: all n-grams up to this length
  bool lower_case = true;          ///< ASCII letters only
  int min_count = 1;               ///< n-grams in fewer training examples are dropped
  std::uint32_t max_features = 0;  ///< keep the n-grams in the most examples; 0 = all
  /// Value of a feature that occurs tf times (text) or has the value tf (XMC, svmlight) in an
  /// example: none = 1 (text) or tf; count = tf; log = ln(1 + tf); tfidf = ln(1 + tf) * idf, each
  /// example scaled to length 1, idf = 1 + ln((1 + examples) / (1 + examples that have the
  /// feature)).
  std::string weighting = "none";
  std::uint64_t skip_bad = 0;  ///< bad lines to pass over before giving up
};

/// Turns inputs into Datasets: every n-gram of an example once, in the order of first occurrence,
/// with a value as the weighting says. Ids fall with frequency (number of examples), ties by first
/// occurrence, so hot rows are neighbours. Results do not depend on the number of threads. fit()
/// sees the training data and fixes vocabulary, label names and weights; read() applies them:
/// unseen n-grams are dropped, unseen labels are an error or ignored.
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
  /// Reads labelled data with the fixed vocabulary; labels never seen in training keep the example
  /// (it counts as an error in evaluation) but are dropped from its label list.
  Dataset read(const std::string& path) const;
  /// Features of one line in the same format (predict), appended to the dataset, with labels if the
  /// line has some. CSV and TSV may leave out the label column. An empty line is an example without
  /// features.
  void add_line(std::string_view line, Dataset& dataset) const;
  /// True if the line, the first of an input in the same format, is a header and not an example.
  bool is_header(std::string_view line) const;
  /// Lets read() and add_line() take another format than the training data had; "text" is one
  /// unlabelled text a line.
  void set_format(const std::string& format);

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
