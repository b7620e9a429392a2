#pragma once
#include <span>
#include <string>
#include <string_view>

#include "libcore/tables/table_head.h"

namespace frugal {

/// Answer to whether the first row of a text names its columns.
struct HeaderGuess {
  bool is_header = false;
  bool is_sure = false;  ///< false: the rows do not tell, and the tool says what it assumes
};
/// Guesses by what the rows are: a row of names stands over numbers or dates, over texts much
/// longer than itself, or has usual names of columns (column_roles.h) or words like "id" that do
/// not come again below. A number over numbers is a value.
HeaderGuess guess_header(std::span<const TableRow> rows);

/// --header: auto, yes or no. `guess` is asked for auto. Fails (usage) for another word.
bool has_header(std::string_view option, const HeaderGuess& guess);
/// Logs what is assumed of the first row where `option` is auto and the guess is not sure, and how
/// to say otherwise.
void say_header_assumption(std::string_view option, const HeaderGuess& guess,
                           const std::string& name, const TableRow& first);

}  // namespace frugal
