#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "libcore/tables/delimited.h"
#include "libcore/tables/piece_reader.h"

namespace frugal {

using TableRow = std::vector<std::string>;

/// The first rows of a text, from which its separator, its header and its columns are told.
struct TableHead {
  /// Rows that are looked at, at most.
  static constexpr std::size_t kMostRows = 1000;

  char separator = ' ';        ///< ' ' stands for any run of blanks and tabs
  std::vector<TableRow> rows;  ///< the first is the header, if there is one
  std::uint64_t line = 0;      ///< number of the line where the first row begins
  /// Names in a comment line right before the first row, as many as it has fields, or none:
  /// "# source, target, time".
  TableRow comment_names;

  bool empty() const { return rows.empty(); }
  const TableRow& first() const { return rows.front(); }
};

/// The character that separates fields, from the first lines of a text: of ',', ';', tab and '|'
/// the one by which all of them, outside quotes, have the same number of fields, two or more; among
/// several the one with the most fields, but ';' where ',' is the decimal point of numbers. ' ' if
/// there is none. Where lines disagree, the one of these that the first line has most of.
/// `head`: whole lines. Lines that begin with '#' or '%' are comments where `comments` says so.
char find_separator(std::string_view head, bool comments);
/// Returns the character that --separator names: itself, or tab. Fails (usage) for any other text.
char given_separator(const std::string& option);

/// The rows at the start of `reader`'s text, whose lines are rows, with comments. strict_tabs: tabs
/// separate, so that fields may have blanks in them; otherwise a tab is a blank. separator: what
/// separates fields, whatever the lines look like; by default find_separator() tells it. Fails
/// (bad_input) where the first row has a byte 0, or none comes within the reader's max_record.
TableHead line_head(PieceReader& reader, bool strict_tabs, std::optional<char> separator = {});
/// The rows of a text in the given style, where no line is a comment. `head`: the start of a text,
/// `is_whole` if nothing comes after it.
TableHead record_head(std::string_view head, DelimitedStyle style, bool is_whole);

}  // namespace frugal
