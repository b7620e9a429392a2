#pragma once
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "libcore/io/delimited.h"
#include "libcore/io/piece_reader.h"
#include "libcore/io/svmlight.h"
#include "tools/sparse-train/data/input_layout.h"
#include "tools/sparse-train/data/ngrams.h"
#include "tools/sparse-train/data/vocabulary.h"

namespace frugal {

struct BadLine {
  std::uint64_t line = 0;
  std::string problem;  ///< what was found and expected
};

/// The examples of a part of the input.
struct ExamplePiece {
  std::vector<std::uint32_t> num_features;  ///< by example
  std::vector<std::uint32_t> features;      ///< ids, example after example; or
  HashedPiece hashed;                       ///< n-grams whose ids are not known yet
  std::vector<float> values;                ///< as in the input, counts of n-grams; empty: all 1
  std::vector<std::uint32_t> num_labels;    ///< by example
  std::vector<std::uint32_t> labels;        ///< ids (XMC) or indices into label_names
  std::vector<std::string> label_names;
  std::vector<BadLine> bad_lines;

  std::size_t size() const { return num_features.size(); }
};

/// Parses records of one layout. One object for each thread.
class ExampleParser {
 public:
  ExampleParser(const FeatureOptions& options, const InputLayout& layout);

  /// All examples of a piece of the input; empty lines are no examples. The features of texts are
  /// left to the caller: hashes() has them.
  ExamplePiece parse(const TextPiece& text);
  /// Appends the example that the line holds, empty or not; fails (bad_input) without the place.
  /// CSV and TSV may lack the label column.
  void parse_line(std::string_view line, ExamplePiece& out);
  /// Of the n-grams of the last call, example after example.
  std::span<const std::uint64_t> hashes() const { return hashes_; }

 private:
  std::size_t next_record(std::string_view text);
  void parse_record(std::string_view record, bool label_is_optional);
  void split_fields(bool label_is_optional);
  void split_fasttext(std::string_view line);
  void split_labels(std::string_view text);
  void append(ExamplePiece& out);
  void append_features(ExamplePiece& out);
  void append_labels(ExamplePiece& out);

  const FeatureOptions& options_;
  const InputLayout& layout_;
  RecordParser records_;
  NgramHasher ngrams_;
  std::vector<std::uint64_t> hashes_;
  bool keep_counts_;
  // Of the record at hand:
  std::vector<std::string_view> fields_;
  std::vector<std::string_view> labels_;
  std::vector<std::uint32_t> label_ids_;
  std::vector<std::string_view> texts_;
  SparseLine sparse_;
  std::map<std::string, std::uint32_t, std::less<>> label_index_;  ///< of the piece at hand
};

}  // namespace frugal
