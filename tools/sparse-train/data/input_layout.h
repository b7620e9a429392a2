#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "libcore/io/delimited.h"
#include "tools/sparse-train/data/featurizer.h"

namespace frugal {

/// What a record of an input looks like: the options made definite by the input's first record.
struct InputLayout {
  std::string format;       ///< a name of text_formats(), or "text": one unlabelled text a line
  bool has_header = false;  ///< the first record is no example
  std::vector<std::string> header;  ///< CSV/TSV: names of the columns, if has_header
  std::size_t num_columns = 1;
  std::size_t label_column = 0;
  std::vector<std::size_t> text_columns;
  std::uint64_t num_points = 0;     ///< XMC: as the header says
  std::uint64_t feature_limit = 0;  ///< XMC, svmlight: feature ids must be below it
  std::uint64_t label_limit = 0;    ///< XMC: label ids must be below it

  bool is_delimited() const { return format == "csv" || format == "tsv"; }
  /// Features are ids in the input, not n-grams.
  bool is_sparse() const { return format == "xmc" || format == "svmlight"; }
  DelimitedStyle style() const;
  /// Takes the limits of ids away.
  void allow_any_id();
};

/// The layout of an input that begins with `head` (more than its first record). Fails (usage,
/// bad_input) with `name`: the format cannot be told, a column is missing.
InputLayout find_layout(const FeatureOptions& options, const std::string& name,
                        std::string_view head);

/// The layout of single lines in that format, without a header; CSV/TSV: a label and one text.
InputLayout layout_of_format(const std::string& format);

}  // namespace frugal
