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

/// Length of the well-formed UTF-8 sequence (RFC 3629) at the start of a text that is not empty; 0
/// if there is none.
std::size_t utf8_length(std::string_view text);
/// Decodes the well-formed sequence of that length at the start of `text`.
std::uint32_t utf8_character(std::string_view text, std::size_t length);

/// Whether a terminal would interpret the character instead of showing it: control characters (C0,
/// DEL, C1), changes of the writing direction, and line and paragraph separators.
bool is_terminal_control(std::uint32_t character);

/// Makes text safe to print on a terminal: escapes bytes that are not UTF-8, and characters that a
/// terminal would interpret (is_terminal_control()) except line ends and tabs. Names of files and
/// folders may come from strangers.
std::string terminal_text(std::string_view text);

/// Appends the escape sequence of the first character, such as "\x1b" or "\u202e", and returns that
/// character's length.
std::size_t append_escaped(std::string_view text, std::string& out);

/// Parses the whole of `text` as a number; nothing if it is none. It must have no leading space, no
/// sign unless the type is signed, and nothing after the digits. Independent of the locale.
/// Real numbers too small for the type are 0. Instantiated for the types below.
template <class T>
std::optional<T> parse_number(std::string_view text);
extern template std::optional<int> parse_number<int>(std::string_view);
extern template std::optional<std::int64_t> parse_number<std::int64_t>(std::string_view);
extern template std::optional<std::uint32_t> parse_number<std::uint32_t>(std::string_view);
extern template std::optional<std::uint64_t> parse_number<std::uint64_t>(std::string_view);
extern template std::optional<float> parse_number<float>(std::string_view);
extern template std::optional<double> parse_number<double>(std::string_view);

/// The text without a '+' at its beginning, unless another sign follows.
inline std::string_view without_plus(std::string_view text) {
  return text.substr(text.starts_with('+') && !text.starts_with("+-") ? 1 : 0);
}

/// Parses a finite number of one of these types, which may begin with '+'.
template <class T>
std::optional<T> parse_finite(std::string_view text) {
  const std::optional<T> number = parse_number<T>(without_plus(text));
  return number && std::isfinite(*number) ? number : std::nullopt;
}

/// Parses a whole number as programs write ids: "7", "+7", "007" and "7.0" are 7, "1e+05" is
/// 100000, and blanks around it are ignored. Nothing if it does not fit into 64 bits.
std::optional<std::int64_t> parse_whole(std::string_view text);

/// True for blanks only, and for the usual texts of a missing value: NA, N/A, n/a, NaN, nan, NaT,
/// null, NULL, None, <NA>, #N/A, \N and ?.
bool is_missing(std::string_view text);
/// True for is_missing(), and for "-", which means "no value" in a column of numbers.
bool is_missing_number(std::string_view text);

/// "64K", "8MiB", "1.5G" or plain bytes; K, M, G, T are powers of 1024.
std::optional<std::uint64_t> parse_bytes(std::string_view text);
/// "90", "90s", "5m", "2h", "1d" or "250ms" as seconds, >= 0.
std::optional<double> parse_seconds(std::string_view text);

/// 1536 -> "1.5 KiB".
std::string format_bytes(std::uint64_t bytes);
/// 3725 -> "1 h 2 min"; 0.25 -> "250 ms".
std::string format_seconds(double seconds);
/// Shortest text that parses back to the same value.
std::string format_number(double value);
/// Number with at most `digits` significant digits: 0.10264 -> "0.103".
std::string format_number(double value, int digits);
/// 0.9512 -> "95.12 %".
std::string format_percent(double share);
/// 1, "frame" -> "1 frame"; 2 -> "2 frames".
std::string format_count(std::uint64_t count, std::string_view what);

/// Independent of the locale.
inline bool is_digit(char c) { return c >= '0' && c <= '9'; }
std::vector<std::string_view> split(std::string_view text, char separator);
std::string_view trim(std::string_view text);
/// Deleted for temporary strings: the parts would point into a string that no longer exists.
template <std::same_as<std::string> Temporary>
std::vector<std::string_view> split(Temporary&& text, char separator) = delete;
template <std::same_as<std::string> Temporary>
std::string_view trim(Temporary&& text) = delete;

/// Smallest number of insertions, deletions, substitutions and swaps of neighbours between a and b.
std::size_t edit_distance(std::string_view a, std::string_view b);
/// The candidate nearest to `word` if it is close enough to be a misspelling of it, else "".
std::string_view nearest_name(std::string_view word, std::span<const std::string> candidates);
/// "; did you mean 'X'?" or "".
std::string did_you_mean(std::string_view word, std::span<const std::string> candidates);

/// Joins names for an error line: "a, b, c", each as printable().
std::string joined(std::span<const std::string> names);
/// Joins names as prose, with `before_last` before the last one: "a, b or c".
std::string joined(std::span<const std::string> names, std::string_view before_last);

/// Text for an error line: control characters and non-UTF-8 bytes escaped, cut at max_length.
std::string printable(std::string_view text, std::size_t max_length = 60);
bool is_utf8(std::string_view text);
/// Position of the first byte that is NUL or not UTF-8; npos if there is none.
std::size_t find_non_text(std::string_view text);

}  // namespace frugal
