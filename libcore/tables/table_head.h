#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "libcore/tables/delimited.h"
#include "libcore/tables/piece_reader.h"
#include "libcore/tables/table_rows.h"

namespace frugal {

using TableRow = std::vector<std::string>;

/// The first rows of a text, from which separator, header and columns are derived.
struct TableHead {
  /// Largest number of rows that are examined.
  static constexpr std::size_t kMostRows = 1000;

  char separator = ' ';        ///< ' ' = any run of blanks and tabs
  std::vector<TableRow> rows;  ///< the first is the header, if there is one
  std::uint64_t line = 0;      ///< number of the line in which the first row begins
  /// Names in a comment line directly before the first row, if there are as many as fields, else
  /// empty: "# source, target, time".
  TableRow comment_names;
  std::uint64_t comment_line = 0;  ///< number of that comment line
  bool json = false;  ///< rows are objects of JSON Lines; the first row lists their names

  bool empty() const { return rows.empty(); }
  const TableRow& first() const { return rows.front(); }
};

/// Guesses the separator from the first lines of a text. Of ',', ';', tab and '|' it returns the
/// one that gives all lines, outside quotes, the same number of fields, two or more; ' ' if none
/// does. Of several it takes the one with the most fields, but ';' if ',' is the decimal point of
/// numbers. If lines disagree, it takes the one that occurs most in the first line. `head` must be
/// whole lines. comments: lines that begin with '#' or '%' are comments.
char find_separator(std::string_view head, bool comments);
/// The character that --separator names: itself, or tab. Fails (usage) for any other text.
char given_separator(const std::string& option);

/// Reads the rows at the start of a text whose lines are rows or comments. strict_tabs: tabs
/// separate, so that fields may contain blanks; otherwise a tab is a blank, unless some of the rows
/// have an empty field between tabs and all have equally many fields. separator: separates fields;
/// by default find_separator() chooses it. Fails (bad_input) if the first row contains a NUL byte,
/// or does not end within the reader's max_record.
TableHead line_head(PieceReader& reader, bool strict_tabs, std::optional<char> separator = {});
/// Separator and first row of a head, for line_form().
TextShape head_shape(const TableHead& head);
/// Reads the rows of a text in the given style, in which no line is a comment. `head` is the start
/// of a text, all of it if `is_whole`.
TableHead record_head(std::string_view head, DelimitedStyle style, bool is_whole);

}  // namespace frugal
