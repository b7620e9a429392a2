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

/// How a column of numbers becomes an input: (x - mean) * scale, missing 0.
struct NumberScale {
  float mean = 0;
  float scale = 1;
};

/// How many different values a column has.
struct ValueCount {
  std::uint64_t values = 0;
  std::uint64_t samples = 0;  ///< in so many; 0: not counted
  bool exact = true;          ///< else within a few per cent

  /// "1460", "about 28,000" or "".
  std::string text() const;
};

/// What is made of a column, for people and programs.
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

/// Everything that turns records into samples: columns, scales of numbers and, with ids by count,
/// the vocabulary. Row 0 of a counted field is what its rare and unknown categories share; the
/// others follow by falling number of training samples, ties by first appearance.
class ClickEncoder {
 public:
  /// What can be known without reading the data: scales 1, no vocabulary, rows as declared (0 =
  /// found by fitting).
  explicit ClickEncoder(ClickSchema schema);

  const ClickSchema& schema() const { return schema_; }
  std::size_t num_numbers() const { return schema_.numbers.size(); }
  std::size_t num_fields() const { return schema_.categories.size(); }
  const std::string& field_name(std::size_t field) const { return schema_.categories[field].name; }
  /// Below 2^32; at least 1 once fitted.
  std::uint64_t field_rows(std::size_t field) const { return fields_[field].rows; }
  /// Different categories in the training data, rare ones too (with ids that are not counted: in
  /// all samples that were read). A model keeps those that have rows of their own.
  const ValueCount& num_values(std::size_t field) const { return fields_[field].values; }
  /// Where the rows of a field lie among those of all tables: nothing where no table has grown.
  const std::optional<std::uint64_t>& first_row(std::size_t field) const {
    return fields_[field].first;
  }
  /// Ascending; rows of categories pass over them.
  const std::vector<RowGap>& gaps(std::size_t field) const { return fields_[field].gaps; }
  /// Training samples of row 0 and of the rows of each category (row_of()); empty unless ids are
  /// counted.
  std::span<const std::uint32_t> counts(std::size_t field) const { return fields_[field].counts; }
  /// The row of what is number `number` in counts().
  std::uint64_t row_of(std::size_t field, std::size_t number) const {
    return number == 0 ? 0 : fields_[field].row_of(static_cast<std::uint32_t>(number - 1));
  }
  /// One line a group of columns: what is made of them, for people.
  std::vector<std::string> describe() const;
  /// The label, numbers, categories and what is ignored.
  std::vector<ColumnFacts> columns() const;

  /// Metadata "data.encoder", with ids by count tensors "data.vocabulary" and "data.counts".
  void save(Document& document) const;
  /// Fails (bad_input) with `path` where what save() wrote is missing or contradicts itself.
  static ClickEncoder load(const Document& document, const std::string& path);
  /// Copy of the part that a model keeps.
  ClickEncoder clone() const;

  // For the readers of this folder.
  void set_scale(std::size_t number, NumberScale scale) { scales_[number] = scale; }
  void set_number_values(std::size_t number, const ValueCount& values) {
    number_values_[number] = values;
  }
  void set_values(std::size_t field, const ValueCount& values) { fields_[field].values = values; }
  void set_rows(std::size_t field, std::uint64_t rows) { fields_[field].rows = rows; }
  /// keys: hashes of the categories of rows 1, 2 ...; counts by row.
  void set_vocabulary(std::size_t field, std::vector<std::uint64_t> keys,
                      std::vector<std::uint32_t> counts);
  /// Rows for new categories, behind those of all tables: rows that there are stay as they are.
  /// Ids are counted; by field. Fails (unavailable) where a table gets too many rows.
  void grow(std::vector<NewCategories> by_field);
  /// The row of a category with this key (ClickParser::key_of), nothing where it has none.
  std::optional<std::uint32_t> find_row(std::size_t field, std::uint64_t key) const;
  /// Turns the keys of a piece into rows. piece.unknown is the first category that has no row of
  /// its own (count: it takes row 0) or lies beyond the field's rows (number).
  void encode_rows(ParsedPiece& piece) const;
  /// Scales numbers where they lie, `step` numbers apart.
  void scale_numbers(float* numbers, std::size_t samples, std::size_t step) const;

 private:
  struct Field {
    std::uint64_t rows = 0;
    ValueCount values;
    std::optional<std::uint64_t> first;
    std::vector<RowGap> gaps;
    HashIndex index;  ///< id + 1 is the row, gaps aside
    std::vector<std::uint32_t> counts;
    std::uint64_t num_new = 0;  ///< categories, since the model was read

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
