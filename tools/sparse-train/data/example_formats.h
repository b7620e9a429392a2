#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "libcore/base/text.h"
#include "libcore/tables/delimited.h"
#include "libcore/tables/format_table.h"
#include "libcore/tables/svmlight.h"

namespace frugal::sparse {

/// Parts of a record without columns, as views of it.
struct RecordParts {
  std::vector<std::string_view> labels, texts;
  SparseLine sparse;  ///< of formats with feature_ids; its labels are not divided
};
struct SplitOptions {
  std::string_view label_prefix;
  std::uint64_t feature_limit = 0;  ///< ids of features must be below it
};

/// One format of examples: what its records have. The table is all there is to say about a format.
struct ExampleFormat {
  std::string_view name;
  std::string_view description;
  std::span<const std::string_view> suffixes = {};
  bool (*recognises)(const FormatSample& sample) = nullptr;
  bool distinctive = false;
  DelimitedStyle style = DelimitedStyle::lines();
  /// Adds the parts of a record to `parts`, whose lists are empty; null: it has columns.
  void (*split)(std::string_view record, const SplitOptions& options, RecordParts& parts) = nullptr;
  bool columns = false;      ///< of texts, categories, numbers, dates and the label
  bool json = false;         ///< columns are the names in an object a line
  bool feature_ids = false;  ///< features are ids with values, no text
  bool counts = false;  ///< the first line says how many points, features, labels; labels are ids
  bool label_words = false;  ///< words of the text that begin with --label-prefix are labels
  bool texts = false;        ///< texts and any number of labels, without columns
  std::string_view label_separator = {};  ///< between labels, where the user has no say
  bool unlabelled = false;                ///< nothing to train on
  bool packed = false;                    ///< tensor files, no text at all

  bool has_text() const { return columns || texts; }
};

/// The name of the format of tensor files with data (data/tensor_data.h).
inline constexpr std::string_view kTensorFormat = "tensors";

const FormatTable<ExampleFormat>& example_formats();
/// The beginning of a text that tells its separator: 64 KiB, or the whole of a longer first line.
std::string_view first_text(std::string_view head);
/// One unlabelled text a line.
const ExampleFormat& unlabelled_text();

// Which formats are good for something, as prose: "csv and tsv".
inline bool has_columns(const ExampleFormat& format) { return format.columns; }
inline bool has_text(const ExampleFormat& format) { return format.has_text(); }
inline bool has_label_words(const ExampleFormat& format) { return format.label_words; }
template <class Accepts>
std::string format_names(const Accepts& accepts, std::string_view before_last) {
  return joined(example_formats().names(accepts), before_last);
}

}  // namespace frugal::sparse
