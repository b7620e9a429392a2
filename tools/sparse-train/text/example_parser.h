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
#include "tools/sparse-train/text/number_features.h"

namespace frugal::sparse {

/// Features known to a model; empty while it is fitted.
struct KnownFeatures {
  /// of the columns of numbers; null: numbers stay in the piece
  const std::vector<NumberFeatures>* numbers = nullptr;
  /// if not null, values of categories are looked up and counted
  const HashIndex* index = nullptr;
};

/// Parses records of one layout. Each thread needs its own object.
class ExampleParser {
 public:
  /// All arguments must outlive the parser.
  ExampleParser(const FeatureOptions& options, const InputLayout& layout,
                const KnownFeatures& known = {});

  /// Parses all examples of a piece of the input, except empty lines. Features of texts are not
  /// added to the result: hashes() returns them.
  ExamplePiece parse(const TextPiece& piece);
  /// Appends the record's example, even if it is empty. Fails (bad_input) without the place.
  void parse_record(std::string_view record, ExamplePiece& out);
  /// Hashes of the features of the last call, example after example.
  std::span<const std::uint64_t> hashes() const { return hashes_; }

  /// From now on, names() returns the names of the last record's features.
  void keep_names() { ngrams_.keep_names(); }
  const std::vector<std::string>& names() const { return ngrams_.names(); }

 private:
  void split_record(std::string_view record);
  void split_row();
  void note_joined_rows(ExamplePiece& out);
  void use_fields(std::span<const std::string_view> fields);
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
  bool check_records_ = false;  ///< of the present piece
  // Parts of the present record:
  RecordParts parts_;
  std::vector<std::uint32_t> label_ids_;
  std::vector<double> numbers_;
  std::vector<ColumnValues> values_;  ///< of the present piece, for each column with features
  std::optional<float> weight_;
  std::vector<std::uint32_t> number_features_;
  std::map<std::string, std::uint32_t, std::less<>> label_index_;  ///< of the piece at hand
};

}  // namespace frugal::sparse
