#pragma once
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace frugal {

/// Length of the well-formed UTF-8 sequence at the start of a text that is not empty (RFC 3629), 0
/// where there is none.
std::size_t utf8_length(std::string_view text);
/// The character of a well-formed sequence of that length.
std::uint32_t utf8_character(std::string_view text, std::size_t length);

/// Whether a terminal would obey the character instead of showing it: control characters (C0, DEL,
/// C1), those that turn the direction of writing, and separators of lines and paragraphs.
bool is_terminal_control(std::uint32_t character);

}  // namespace frugal
