#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "libcore/io/text_lines.h"

namespace frugal {

/// Which columns of a text are wanted.
struct TableColumns {
  TextShape shape;
  bool whole_lines = false;       ///< one column: the line
  std::uint64_t header_line = 0;  ///< the line that names the columns, from 1
  std::vector<std::size_t> wanted;
};

/// The column of that name or number, from 1; where it is "", the one with the standard name in the
/// header, else nothing.
std::optional<std::size_t> pick_column(const TextShape& shape, const std::string& column,
                                       const std::string& standard, const std::string& place);
/// Whether the first line names columns: no field of several is a number, or the only one is
/// `column`, the standard name where that is "".
bool names_columns(const TextShape& shape, const std::string& column, const std::string& standard);

/// Calls convert(field) for the wanted fields of each line of a piece; a row of `out` each. Lines
/// that are empty count where lines are fields.
template <class T, class Convert>
void parse_columns(const TextPiece& piece, const std::string& name, const TableColumns& columns,
                   const Convert& convert, std::vector<T>& out) {
  out.clear();
  FieldSplitter splitter(columns.shape.separator);
  std::vector<std::string_view> fields;
  PieceLines lines(piece, name, columns.header_line);
  const auto parse_row = [&](std::string_view line) {
    if (columns.whole_lines) return out.push_back(convert(line));
    splitter.split(line, fields);
    if (fields.size() != columns.shape.first_fields.size()) {
      fail(ExitStatus::bad_input, "found ", fields.size(), " columns, expected ",
           columns.shape.first_fields.size(), " as in the first line");
    }
    for (const std::size_t c : columns.wanted) out.push_back(convert(fields[c]));
  };
  for (std::string_view line; lines.next(line, columns.whole_lines);) {
    lines.located([&] { parse_row(line); });
  }
}

/// The wanted fields of all lines, row by row: convert(field) on all threads, take(rows) in order,
/// while the text is there.
template <class T, class Convert, class Take>
void read_columns(PieceReader& reader, const TableColumns& columns, const Convert& convert,
                  const Take& take) {
  read_pieces<std::vector<T>>(
      reader,
      [&](const TextPiece& piece, std::vector<T>& out) {
        parse_columns(piece, reader.name(), columns, convert, out);
      },
      take);
}

}  // namespace frugal
