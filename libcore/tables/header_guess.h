#pragma once
#include <span>
#include <string>
#include <string_view>

#include "libcore/tables/table_head.h"

namespace frugal {

/// Whether the first row of a text is a header.
struct HeaderGuess {
  bool is_header = false;
  bool is_sure = false;  ///< false: the rows do not show it; the tool reports its assumption
};
/// Guesses whether the first row is a header. Names above numbers or dates, or above much longer
/// texts, are one. So are usual names of columns (column_roles.h), and words like "id" that do not
/// recur below. A number above numbers is a value, unless an empty name and 0, 1, 2 ... stand above
/// an index and the columns of an array.
HeaderGuess guess_header(std::span<const TableRow> rows);

/// Whether no value of the first row recurs in its column, although in one of the columns all other
/// values do. Ten rows are the fewest that show it.
bool stands_apart(std::span<const TableRow> rows);

/// Fails (bad_input) if all rows, two at least, have one field more than the first row, as in a
/// table that R's write.table() wrote: the names of the rows, all different, are a column without a
/// name.
void refuse_missing_name(std::span<const TableRow> rows, const std::string& name);

/// Evaluates --header: auto, yes or no; auto uses `guess`. Fails (usage) for any other word.
bool has_header(std::string_view option, const HeaderGuess& guess);
/// Logs the assumption about the first row, and how to override it, if `option` is auto and the
/// guess is not sure.
void say_header_assumption(std::string_view option, const HeaderGuess& guess,
                           const std::string& name, const TableRow& first);

}  // namespace frugal
