#pragma once
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "libcore/tables/table_head.h"

namespace frugal {

/// Decimal marks of the numbers in a table whose separator is the semicolon: a comma or a point in
/// all numbers of a column. In a column with decimal commas, 1.234 may mean 1234.
class DecimalMarks {
 public:
  /// Accepts all numbers.
  DecimalMarks() = default;
  /// The mark of a column is the comma if a number in `rows`, the first rows, has one, else the
  /// point if a number has one. Columns without either are not checked, nor are tables with other
  /// separators. header: names of the columns for messages, or empty.
  DecimalMarks(char separator, std::span<const TableRow> rows, std::span<const std::string> header);

  /// Fails (bad_input), without a place, if a number of the column has the other mark.
  void check(std::size_t column, std::string_view number) const {
    if (column < marks_.size() && marks_[column].refused != '\0') check(marks_[column], number);
  }

 private:
  struct Mark {
    char refused = '\0';
    std::string example;  ///< a number with the mark of the column
    std::string name;
  };
  static void check(const Mark& mark, std::string_view number);

  std::vector<Mark> marks_;
};

/// Logs a warning if a column of dates has nothing but plain numbers in `rows`, the first rows,
/// all of them Unix times of 1970-01-01. They are years, days since 1900 as spreadsheets count, or
/// times of a day. `input` and `name` are for the message.
void warn_of_first_day(const std::string& input, std::string_view name, std::size_t column,
                       std::span<const TableRow> rows);

}  // namespace frugal
