#pragma once
#include <string>
#include <string_view>

namespace frugal {

/// Lines as a terminal may be given them: what it would obey (is_terminal_control(), but for line
/// ends and tabs) and bytes that are no UTF-8 are escaped as in printable(). Names in a text come
/// from files and folders that strangers may have filled.
std::string terminal_text(std::string_view text);

/// Appends "\x1b" or "\u202e" for the first character, which is not shown, and returns its length.
std::size_t append_escaped(std::string_view text, std::string& out);

}  // namespace frugal
