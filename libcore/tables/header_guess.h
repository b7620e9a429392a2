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
/// recur below. A number above numbers is a value.
HeaderGuess guess_header(std::span<const TableRow> rows);

/// Whether no value of the first row recurs in its column, although in one of the columns all other
/// values do. Ten rows are the fewest that show it.
bool stands_apart(std::span<const TableRow> rows);

/// Evaluates --header: auto, yes or no; auto uses `guess`. Fails (usage) for any other word.
bool has_header(std::string_view option, const HeaderGuess& guess);
/// Logs the assumption about the first row, and how to override it, if `option` is auto and the
/// guess is not sure.
void say_header_assumption(std::string_view option, const HeaderGuess& guess,
                           const std::string& name, const TableRow& first);

}  // namespace frugal
