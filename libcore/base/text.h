#pragma once
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace frugal {

/// Length of the well-formed UTF-8 sequence at the start of a text that is not empty (RFC 3629), 0
/// where there is none.
std::size_t utf8_length(std::string_view text);
/// The character of a well-formed sequence of that length.
std::uint32_t utf8_character(std::string_view text, std::size_t length);

/// Whether a terminal would obey the character instead of showing it: control characters (C0, DEL,
/// C1), those that turn the direction of writing, and separators of lines and paragraphs.
bool is_terminal_control(std::uint32_t character);

/// Lines as a terminal may be given them: what it would obey (is_terminal_control(), but for line
/// ends and tabs) and bytes that are no UTF-8 are escaped as in printable(). Names in a text come
/// from files and folders that strangers may have filled.
std::string terminal_text(std::string_view text);

/// Appends "\x1b" or "\u202e" for the first character, which is not shown, and returns its length.
std::size_t append_escaped(std::string_view text, std::string& out);

/// The whole of `text` as a number, or nothing: no leading space, sign only where the type has one,
/// nothing behind the digits. Locale-independent. Instantiated for the types below.
template <class T>
std::optional<T> parse_number(std::string_view text);
extern template std::optional<int> parse_number<int>(std::string_view);
extern template std::optional<std::int64_t> parse_number<std::int64_t>(std::string_view);
extern template std::optional<std::uint32_t> parse_number<std::uint32_t>(std::string_view);
extern template std::optional<std::uint64_t> parse_number<std::uint64_t>(std::string_view);
extern template std::optional<float> parse_number<float>(std::string_view);
extern template std::optional<double> parse_number<double>(std::string_view);

/// A finite number of one of these types, '+' before it or not.
template <class T>
std::optional<T> parse_finite(std::string_view text) {
  const std::optional<T> number = parse_number<T>(text.substr(text.starts_with('+') ? 1 : 0));
  return number && std::isfinite(*number) ? number : std::nullopt;
}

/// A whole number as programs write ids: "7", "+7", "007" and "7.0" are 7, with blanks around it or
/// not. Nothing outside 64 bits.
std::optional<std::int64_t> parse_whole(std::string_view text);

/// True for a text of blanks, and for what programs write for a value that is not there: NA, N/A,
/// n/a, NaN, nan, NaT, null, NULL, None, <NA>, #N/A, \N and ?.
bool is_missing(std::string_view text);
/// True for is_missing(), and for "-", which stands for no value in a column of numbers.
bool is_missing_number(std::string_view text);

/// "64K", "8MiB", "1.5G" or plain bytes; K, M, G, T are powers of 1024.
std::optional<std::uint64_t> parse_bytes(std::string_view text);
/// "90", "90s", "5m", "2h", "1d" or "250ms" as seconds, >= 0.
std::optional<double> parse_seconds(std::string_view text);

/// 1536 -> "1.5 KiB".
std::string format_bytes(std::uint64_t bytes);
/// 3725 -> "1 h 2 min"; 0.25 -> "250 ms".
std::string format_seconds(double seconds);
/// Shortest text that reads back as the same value.
std::string format_number(double value);
/// At most `digits` significant digits, for people: 0.10264 -> "0.103".
std::string format_number(double value, int digits);
/// 0.9512 -> "95.12 %".
std::string format_percent(double share);
/// 1, "frame" -> "1 frame"; 2 -> "2 frames".
std::string format_count(std::uint64_t count, std::string_view what);

/// Whatever the locale.
inline bool is_digit(char c) { return c >= '0' && c <= '9'; }
std::vector<std::string_view> split(std::string_view text, char separator);
std::string_view trim(std::string_view text);
/// A string that ends with the expression would leave its parts pointing to nothing.
template <std::same_as<std::string> Temporary>
std::vector<std::string_view> split(Temporary&& text, char separator) = delete;
template <std::same_as<std::string> Temporary>
std::string_view trim(Temporary&& text) = delete;

/// Smallest number of insertions, deletions, substitutions and swaps of neighbours between a and b.
std::size_t edit_distance(std::string_view a, std::string_view b);
/// The candidate nearest to `word` if it is near enough to be meant by it, else "".
std::string_view nearest_name(std::string_view word, std::span<const std::string> candidates);
/// "; did you mean 'X'?" or "".
std::string did_you_mean(std::string_view word, std::span<const std::string> candidates);

/// Names for an error line: "a, b, c", each as printable().
std::string joined(std::span<const std::string> names);
/// The same as prose: "a, b or c".
std::string joined(std::span<const std::string> names, std::string_view before_last);

/// Text for an error line: control characters and non-UTF-8 bytes escaped, cut at max_length.
std::string printable(std::string_view text, std::size_t max_length = 60);
bool is_utf8(std::string_view text);
/// Where the first byte stands that is NUL or no UTF-8; npos in proper text.
std::size_t find_non_text(std::string_view text);

}  // namespace frugal
