#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "libcore/base/hash_index.h"
#include "libcore/embedding/table_set.h"
#include "libcore/tensors/tensor_file.h"
#include "tools/robe-compress/columns/click_schema.h"

namespace frugal::robe {

struct ParsedPiece;

/// Scaling of a column of numbers: (x - mean) * scale; missing values become 0.
struct NumberScale {
  float mean = 0;
  float scale = 1;
};

/// Number of different values in a column.
struct ValueCount {
  std::uint64_t values = 0;
  std::uint64_t samples = 0;  ///< samples counted; 0: not counted
  bool exact = true;          ///< exact; otherwise within a few per cent

  /// "1460", "about 28,000" or "".
  std::string text() const;
};

/// Use of a column, for people and programs.
struct ColumnFacts {
  std::string name;
  std::string use;  ///< a name of ClickColumnType
  ValueCount count;
};

/// Categories of a column that are new to a model, by rank, and the training samples of each.
struct NewCategories {
  std::vector<std::uint64_t> keys;
  std::vector<std::uint32_t> counts;
};

/// Converts records to samples. Contains the columns, the scales of numbers and, with ids by count,
/// the vocabulary. Row 0 of a counted field is shared by rare and unknown categories. The others
/// follow by falling number of training samples, ties by first appearance.
class ClickEncoder {
 public:
  /// Encoder before fitting: scales are 1, there is no vocabulary, and rows are as declared (0 =
  /// found by fitting).
  explicit ClickEncoder(ClickSchema schema);

  const ClickSchema& schema() const { return schema_; }
  std::size_t num_numbers() const { return schema_.numbers.size(); }
  std::size_t num_fields() const { return schema_.categories.size(); }
  const std::string& field_name(std::size_t field) const { return schema_.categories[field].name; }
  /// Number of rows of a field: below 2^32, and at least 1 after fitting.
  std::uint64_t field_rows(std::size_t field) const { return fields_[field].rows; }
  /// Number of different categories in the training data, including rare ones; with ids that are
  /// not counted, in all samples read. In a model: categories that have their own rows.
  const ValueCount& num_values(std::size_t field) const { return fields_[field].values; }
  /// First row of a field among the rows of all tables; nothing if no table has grown.
  const std::optional<std::uint64_t>& first_row(std::size_t field) const {
    return fields_[field].first;
  }
  /// Gaps in the rows of a field, ascending. Rows of categories skip them.
  const std::vector<RowGap>& gaps(std::size_t field) const { return fields_[field].gaps; }
  /// Number of training samples of row 0 and of the row of each category (row_of()); empty unless
  /// ids are counted.
  std::span<const std::uint32_t> counts(std::size_t field) const { return fields_[field].counts; }
  /// Row of entry `number` in counts().
  std::uint64_t row_of(std::size_t field, std::size_t number) const {
    return number == 0 ? 0 : fields_[field].row_of(static_cast<std::uint32_t>(number - 1));
  }
  /// Lines for people: the use of each group of columns.
  std::vector<std::string> describe() const;
  /// The label, numbers, categories and ignored columns.
  std::vector<ColumnFacts> columns() const;

  /// Adds metadata "data.encoder" and, with ids by count, tensors "data.vocabulary" and
  /// "data.counts".
  void save(Document& document) const;
  /// Reads what save() wrote. Fails (bad_input) with `path` if something is missing or
  /// inconsistent.
  static ClickEncoder load(const Document& document, const std::string& path);
  /// Copy of the part that a model stores.
  ClickEncoder clone() const;

  // For the readers of this folder.
  void set_scale(std::size_t number, NumberScale scale) { scales_[number] = scale; }
  void set_number_values(std::size_t number, const ValueCount& values) {
    number_values_[number] = values;
  }
  void set_values(std::size_t field, const ValueCount& values) { fields_[field].values = values; }
  void set_rows(std::size_t field, std::uint64_t rows) { fields_[field].rows = rows; }
  /// keys: hashes of the categories of rows 1, 2, ...; counts: of each row.
  void set_vocabulary(std::size_t field, std::vector<std::uint64_t> keys,
                      std::vector<std::uint32_t> counts);
  /// Adds rows for new categories after those of all tables; existing rows do not change. by_field:
  /// for each field. Requires counted ids. Fails (unavailable) if a table gets too many rows.
  void grow(std::vector<NewCategories> by_field);
  /// Row of the category with this key (ClickParser::key_of()); nothing if it has none.
  std::optional<std::uint32_t> find_row(std::size_t field, std::uint64_t key) const;
  /// Converts the keys of a piece to rows. Sets piece.unknown to the first category that has no row
  /// of its own (count: it gets row 0) or is beyond the field's rows (number).
  void encode_rows(ParsedPiece& piece) const;
  /// Scales numbers in place. step: stride between samples.
  void scale_numbers(float* numbers, std::size_t samples, std::size_t step) const;

 private:
  struct Field {
    std::uint64_t rows = 0;
    ValueCount values;
    std::optional<std::uint64_t> first;
    std::vector<RowGap> gaps;
    HashIndex index;  ///< id + 1 is the row, not counting gaps
    std::vector<std::uint32_t> counts;
    std::uint64_t num_new = 0;  ///< categories added since the model was read

    std::uint64_t row_of(std::uint32_t id) const {
      std::uint64_t row = std::uint64_t{id} + 1;
      for (const RowGap& gap : gaps) row += row >= gap.row ? gap.count : 0;
      return row;
    }
    std::uint64_t gap_rows() const;
  };
  ClickSchema schema_;
  std::vector<NumberScale> scales_;
  std::vector<ValueCount> number_values_;
  void load_vocabulary(const Document& document);
  std::vector<Field> fields_;
};

}  // namespace frugal::robe
