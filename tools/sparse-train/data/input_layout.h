#pragma once
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "libcore/tables/column_checks.h"
#include "libcore/tables/table_rows.h"
#include "tools/sparse-train/data/column_types.h"
#include "tools/sparse-train/data/example_formats.h"
#include "tools/sparse-train/data/feature_options.h"

namespace frugal::sparse {

/// A column of CSV or TSV that has features.
struct InputColumn {
  std::size_t index = 0;  ///< from 0
  ColumnType type = ColumnType::text;
  std::string name;        ///< as declared: features of categories, dates and numbers belong to it
  std::string separator;   ///< category: between the values of a field; "" = one value
  std::uint64_t salt = 0;  ///< column_salt(name)
  std::size_t number = 0;  ///< of the columns of numbers, which one, from 0
  bool has_ids = false;    ///< category of whole numbers: 7, 7.0 and 007 are one
  /// category: True and TRUE are true; not so in models of version 1.0.0
  bool joins_booleans = false;
};

/// Limit of the ids of features and labels where the format has none.
inline constexpr std::uint64_t kAnyId = std::numeric_limits<std::uint32_t>::max();
/// Where a table has no column of some kind.
inline constexpr std::size_t kNoColumn = std::numeric_limits<std::size_t>::max();

/// Layout of records: the options made definite by the first records of the input.
struct InputLayout {
  const ExampleFormat* format = &unlabelled_text();
  DelimitedStyle style = DelimitedStyle::lines();
  bool has_header = false;          ///< the first record is no example
  std::uint64_t header_line = 1;    ///< in which that record begins, after blank lines
  std::vector<std::string> header;  ///< CSV/TSV: names of the columns, if has_header
  std::size_t num_columns = 1;
  std::size_t label_column = 0;   ///< kNoColumn: none, in data to predict
  bool may_lack_label = false;    ///< records may leave the label's column out
  bool keeps_blank = false;       ///< blank records are examples without features: data to predict
  bool label_is_number = false;   ///< CSV/TSV: words for missing numbers are no labels
  bool label_is_guessed = false;  ///< CSV/TSV: neither an option nor a usual name says which it is
  bool guesses_numbers = false;   ///< CSV/TSV: columns are numbers as those of the first rows are
  std::size_t weight_column = kNoColumn;  ///< of the examples' weights
  DecimalMarks decimal_marks;
  std::vector<InputColumn> columns;  ///< with features, in the order of their declaration
  std::string label_separator;       ///< "" = one label
  std::uint64_t num_points = 0;      ///< XMC: as the header says
  std::uint64_t feature_limit = 0;   ///< XMC, svmlight: feature ids must be below it
  std::uint64_t label_limit = 0;     ///< XMC: label ids must be below it

  /// Some features are n-grams.
  bool has_text() const;
  /// Some columns are categories.
  bool has_categories() const;
  /// An example may have several labels.
  bool has_several_labels() const { return format->texts || !label_separator.empty(); }
  std::size_t num_number_columns() const;
  /// A table with columns of numbers and none of text.
  bool is_number_table() const { return num_number_columns() > 0 && !has_text(); }
  TableForm form() const;
  /// "column 'topic'" or "column 2" for messages.
  std::string column_text(std::size_t column) const;
  /// Takes the limits of ids away.
  void allow_any_id();
  /// Learns from the first rows, without a header, how numbers are written. Unless it is quiet,
  /// warns of dates that are unlikely to be dates.
  void look_at_values(std::span<const TableRow> rows, const std::string& name, bool quiet);
};

/// The layout of single lines in that format, without a header; columns: a label and one text.
InputLayout layout_of_format(const ExampleFormat& format);

}  // namespace frugal::sparse
