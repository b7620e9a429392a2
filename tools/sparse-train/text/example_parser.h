#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "libcore/base/hash_index.h"
#include "libcore/tables/svmlight.h"
#include "tools/sparse-train/data/input_layout.h"
#include "tools/sparse-train/text/example_piece.h"
#include "tools/sparse-train/text/ngrams.h"
#include "tools/sparse-train/text/number_bins.h"

namespace frugal::sparse {

/// Features that the model knows; nothing while it learns.
struct KnownFeatures {
  const std::vector<NumberBins>* bins = nullptr;  ///< null: numbers are left in the piece
  const HashIndex* index = nullptr;  ///< not null: values of categories are looked up and counted
};

/// Parses records of one layout. One object for each thread.
class ExampleParser {
 public:
  /// All arguments must outlive the parser.
  ExampleParser(const FeatureOptions& options, const InputLayout& layout,
                const KnownFeatures& known = {});

  /// All examples of a piece of the input; empty lines are no examples. The features of texts are
  /// left to the caller: hashes() has them.
  ExamplePiece parse(const TextPiece& piece);
  /// Appends the example that the record holds, empty or not; fails (bad_input) without the place.
  void parse_record(std::string_view record, ExamplePiece& out);
  /// Of the features of the last call, example after example.
  std::span<const std::uint64_t> hashes() const { return hashes_; }

  /// From now on names() has what each feature of the last record stands for.
  void keep_names() { ngrams_.keep_names(); }
  const std::vector<std::string>& names() const { return ngrams_.names(); }

 private:
  void split_record(std::string_view record);
  void use_fields(std::span<const std::string_view> fields);
  void split_label_words(std::string_view line);
  void split_labels(std::string_view text);
  void use_field(const InputColumn& column, std::string_view field);
  void use_category(const InputColumn& column, std::string_view field);
  void count_value(const InputColumn& column, std::uint64_t hash);
  void use_date(const InputColumn& column, std::string_view field);
  void use_number(const InputColumn& column, std::string_view field);
  void use_weight(std::string_view field);
  void append(ExamplePiece& out);
  void append_features(ExamplePiece& out);
  void append_labels(ExamplePiece& out);

  const FeatureOptions& options_;
  const InputLayout& layout_;
  KnownFeatures known_;
  TableRows rows_;
  NgramHasher ngrams_;
  std::vector<std::uint64_t> hashes_;
  bool keep_counts_;
  bool checks_text_;
  bool check_records_ = false;  ///< of the piece at hand: not all of it is clean
  // Of the record at hand:
  std::vector<std::string_view> labels_;
  std::vector<std::uint32_t> label_ids_;
  std::vector<double> numbers_;
  std::vector<ColumnValues> values_;  ///< of the piece at hand, by column with features
  std::optional<float> weight_;
  std::vector<std::uint32_t> bin_features_;
  SparseLine sparse_;
  std::map<std::string, std::uint32_t, std::less<>> label_index_;  ///< of the piece at hand
};

}  // namespace frugal::sparse
