#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tools/gnn-sample/data/feature_columns.h"
#include "tools/gnn-sample/data/sparse_rows.h"

namespace frugal::gnn {

/// Fields of some rows of a table, row by row.
struct FieldPiece {
  std::string bytes;
  std::vector<std::size_t> ends;
  std::vector<std::uint64_t> lines;  ///< of the file, in which the rows begin

  void add(std::string_view field) {
    bytes += field;
    ends.push_back(bytes.size());
  }
  std::string_view field(std::size_t at) const {
    const std::size_t begin = at == 0 ? 0 : ends[at - 1];
    return std::string_view(bytes).substr(begin, ends[at] - begin);
  }
};

/// Fields of the columns of a table that become features, and what they become.
class TableFields {
 public:
  /// separator: that of the table's fields. path: for messages.
  TableFields(std::size_t width, char separator, std::string path)
      : width_(width), separator_(separator), path_(std::move(path)) {}

  void add(FieldPiece&& piece) { pieces_.push_back(std::move(piece)); }
  std::size_t width() const { return width_; }
  const std::vector<FieldPiece>& pieces() const { return pieces_; }
  std::size_t rows(const FieldPiece& piece) const { return piece.ends.size() / width_; }

  /// The type that the values of a column have: number if all are numbers, date if all are dates,
  /// category if they recur, at most 1,000 values and each twice on average, words otherwise;
  /// ignore if all are missing. Fails (bad_input) for numbers that F32 does not hold, and with the
  /// line of an infinite or hexadecimal number among numbers, or of a day that does not exist among
  /// dates, if most values of the column are right and none is a word.
  FeatureType guess_type(std::size_t column, const std::string& name) const;
  /// True if the column has each of the numbers from 0 on, or from 1 on, once.
  bool is_numbering(std::size_t column) const;
  /// Sets the scale of a number or date, or the values of a category, from the column's fields.
  /// Fails (bad_input) if a category has more than kMostCategories, and with the line if numbers
  /// have both decimal commas and points.
  void fit(std::size_t column, FeatureColumn& out) const;
  /// Logs the values of categories that a model's columns do not list, and the columns of the model
  /// that are missing in all rows.
  void say_unknown(const FeatureColumns& columns) const;
  /// Features of all rows, those of the columns one after the other. Uses all threads. Fails
  /// (bad_input) if there are none, or too many.
  SparseRows encode(const FeatureColumns& columns) const;

 private:
  /// Calls use(field) for the column's field of each row, in their order.
  template <class Use>
  void for_each(std::size_t column, const Use& use) const {
    for (const FieldPiece& piece : pieces_) {
      for (std::size_t at = column; at < piece.ends.size(); at += width_) use(piece.field(at));
    }
  }
  /// Fails (bad_input) with the line of the first field for which is_odd() is true.
  template <class Odd>
  [[noreturn]] void refuse_first(std::size_t column, const std::string& name, const char* expected,
                                 const Odd& is_odd) const;
  void check_decimal_marks(std::size_t column, const std::string& name) const;
  void measure(std::size_t column, FeatureColumn& out) const;
  void list_values(std::size_t column, FeatureColumn& out) const;

  std::size_t width_;
  char separator_;
  std::string path_;
  std::vector<FieldPiece> pieces_;
};

}  // namespace frugal::gnn
