#include "libcore/base/text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <type_traits>

namespace frugal {

std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return 1;
  const std::size_t length = first < 0xc2   ? 0
                             : first < 0xe0 ? 2
                             : first < 0xf0 ? 3
                             : first < 0xf5 ? 4
                                            : 0;
  if (length == 0 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
  }
  const unsigned char second = byte(1);
  const bool overlong = (first == 0xe0 && second < 0xa0) || (first == 0xf0 && second < 0x90);
  const bool outside = (first == 0xed && second > 0x9f) || (first == 0xf4 && second > 0x8f);
  return overlong || outside ? 0 : length;
}

std::uint32_t utf8_character(std::string_view text, std::size_t length) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  if (length == 1) return byte(0);
  std::uint32_t character = byte(0) & (0xffU >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) character = character << 6 | (byte(i) & 0x3fU);
  return character;
}

bool is_terminal_control(std::uint32_t c) {
  const bool control = c < 0x20 || (c >= 0x7f && c < 0xa0);
  const bool direction = c == 0x061c || c == 0x200e || c == 0x200f ||
                         (c >= 0x202a && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069);
  return control || direction || c == 0x2028 || c == 0x2029;
}

std::size_t append_escaped(std::string_view text, std::string& out) {
  const std::size_t length = utf8_length(text);
  const bool is_byte = length <= 1;
  const std::uint32_t value =
      is_byte ? static_cast<unsigned char>(text[0]) : utf8_character(text, length);
  std::array<char, 16> escape{};
  std::snprintf(escape.data(), escape.size(), is_byte ? "\\x%02x" : "\\u%04x", value);
  out += escape.data();
  return is_byte ? 1 : length;
}

std::string terminal_text(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    std::size_t length = utf8_length(text);
    const std::uint32_t c = length == 0 ? 0 : utf8_character(text, length);
    const bool shown = length != 0 && (!is_terminal_control(c) || c == '\n' || c == '\t');
    if (shown) {
      out += text.substr(0, length);
    } else {
      length = append_escaped(text, out);
    }
    text.remove_prefix(length);
  }
  return out;
}

namespace {

/// Whether the text of a number, which is not 0, means one below 1.
bool is_below_one(std::string_view text) {
  if (text.starts_with('-')) text.remove_prefix(1);
  const std::size_t e = std::min(text.find_first_of("eE"), text.size());
  const std::string_view digits = text.substr(0, e);
  std::string_view exponent = text.substr(std::min(e + 1, text.size()));
  const bool is_negative = exponent.starts_with('-');
  exponent.remove_prefix(is_negative || exponent.starts_with('+') ? 1 : 0);
  // An exponent of more digits than fit exceeds all digits that a text can have.
  constexpr std::int64_t kHuge = std::int64_t{1} << 62;
  std::int64_t power = 0;
  const auto [stop, error] =
      std::from_chars(exponent.data(), exponent.data() + exponent.size(), power);
  if (error == std::errc::result_out_of_range || power > kHuge) power = kHuge;
  const auto point = static_cast<std::int64_t>(std::min(digits.find('.'), digits.size()));
  const auto first =
      static_cast<std::int64_t>(std::min(digits.find_first_of("123456789"), digits.size()));
  const std::int64_t place = first < point ? point - first : point + 1 - first;
  return place + (is_negative ? -power : power) <= 0;
}

}  // namespace

template <class T>
std::optional<T> parse_number(std::string_view text) {
  T value{};
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (stop != end) return std::nullopt;
  if constexpr (std::is_floating_point_v<T>) {
    // Numbers too small for the type are 0, as everywhere; too large ones are none.
    const bool is_small = error == std::errc::result_out_of_range && is_below_one(text);
    if (is_small) return text.starts_with('-') ? -T{0} : T{0};
  }
  if (error != std::errc()) return std::nullopt;
  return value;
}
template std::optional<int> parse_number<int>(std::string_view);
template std::optional<std::int64_t> parse_number<std::int64_t>(std::string_view);
template std::optional<std::uint32_t> parse_number<std::uint32_t>(std::string_view);
template std::optional<std::uint64_t> parse_number<std::uint64_t>(std::string_view);
template std::optional<float> parse_number<float>(std::string_view);
template std::optional<double> parse_number<double>(std::string_view);

namespace {

struct Unit {
  std::string_view suffix;
  double factor;
};

std::optional<double> parse_with_unit(std::string_view text, std::span<const Unit> units) {
  const std::size_t digits = std::min(text.find_first_not_of("0123456789."), text.size());
  const auto value = parse_number<double>(text.substr(0, digits));
  if (!value) return std::nullopt;
  const std::string_view suffix = text.substr(digits);
  for (const Unit& unit : units) {
    if (unit.suffix == suffix) return *value * unit.factor;
  }
  return std::nullopt;
}

std::string printf_number(const char* format, double value) {
  std::array<char, 64> buffer{};
  const int length = std::snprintf(buffer.data(), buffer.size(), format, value);
  return {buffer.data(), static_cast<std::size_t>(length)};
}

}  // namespace

std::optional<std::uint64_t> parse_bytes(std::string_view text) {
  static constexpr std::array<Unit, 14> kUnits{{{"", 1},
                                                {"B", 1},
                                                {"K", 0x1p10},
                                                {"KB", 0x1p10},
                                                {"KiB", 0x1p10},
                                                {"M", 0x1p20},
                                                {"MB", 0x1p20},
                                                {"MiB", 0x1p20},
                                                {"G", 0x1p30},
                                                {"GB", 0x1p30},
                                                {"GiB", 0x1p30},
                                                {"T", 0x1p40},
                                                {"TB", 0x1p40},
                                                {"TiB", 0x1p40}}};
  const auto bytes = parse_with_unit(text, kUnits);
  if (!bytes || *bytes > 0x1p60) return std::nullopt;
  return static_cast<std::uint64_t>(*bytes);
}

std::optional<double> parse_seconds(std::string_view text) {
  static constexpr std::array<Unit, 6> kUnits{
      {{"", 1}, {"ms", 1e-3}, {"s", 1}, {"m", 60}, {"h", 3600}, {"d", 86400}}};
  return parse_with_unit(text, kUnits);
}

std::string format_bytes(std::uint64_t bytes) {
  static constexpr std::array<const char*, 6> kNames{"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
  double value = static_cast<double>(bytes);
  std::size_t unit = 0;
  for (; value >= 1024 && unit + 1 < kNames.size(); ++unit) value /= 1024;
  return printf_number(unit == 0 || value >= 100 ? "%.0f " : "%.1f ", value) + kNames[unit];
}

std::string format_seconds(double seconds) {
  if (seconds < 1e-3) return printf_number("%.3g us", seconds * 1e6);
  if (seconds < 1) return printf_number("%.3g ms", seconds * 1e3);
  if (seconds < 60) return printf_number("%.3g s", seconds);
  constexpr double kMostHours = 1e5, kYear = 365.25 * 24 * 3600;
  if (seconds >= kMostHours * 3600) return printf_number("%.3g years", seconds / kYear);
  const auto whole = static_cast<std::uint64_t>(seconds);
  if (whole < 3600) return std::to_string(whole / 60) + " min " + std::to_string(whole % 60) + " s";
  return std::to_string(whole / 3600) + " h " + std::to_string(whole / 60 % 60) + " min";
}

std::string format_number(double value) {
  std::array<char, 32> buffer{};
  const auto [end, error] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  return {buffer.data(), end};
}

std::string format_number(double value, int digits) {
  std::array<char, 48> buffer{};
  const auto [end, error] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value,
                                          std::chars_format::general, digits);
  return {buffer.data(), end};
}

std::string format_percent(double share) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2f %%", 100 * share);
  return text;
}

std::string format_count(std::uint64_t count, std::string_view what) {
  return std::to_string(count).append(" ").append(what).append(count == 1 ? "" : "s");
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (std::size_t begin = 0;;) {
    const std::size_t end = text.find(separator, begin);
    parts.push_back(text.substr(begin, end - begin));
    if (end == std::string_view::npos) return parts;
    begin = end + 1;
  }
}

std::string_view trim(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r\n") - begin + 1);
}

std::size_t edit_distance(std::string_view a, std::string_view b) {
  // Optimal string alignment: three rows of the usual table are alive at a time.
  std::vector<std::size_t> before(b.size() + 1), previous(b.size() + 1), current(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) previous[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    current[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t cost = a[i - 1] == b[j - 1] ? 0 : 1;
      current[j] = std::min({previous[j] + 1, current[j - 1] + 1, previous[j - 1] + cost});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        current[j] = std::min(current[j], before[j - 2] + 1);
      }
    }
    before.swap(previous);
    previous.swap(current);
  }
  return previous[b.size()];
}

std::string_view nearest_name(std::string_view word, std::span<const std::string> candidates) {
  std::string_view best;
  std::size_t best_distance = std::max<std::size_t>(2, word.size() / 3) + 1;
  for (const std::string& candidate : candidates) {
    const std::size_t distance = edit_distance(word, candidate);
    if (distance < best_distance && distance < candidate.size()) {
      best = candidate;
      best_distance = distance;
    }
  }
  return best;
}

std::string did_you_mean(std::string_view word, std::span<const std::string> candidates) {
  const std::string_view nearest = nearest_name(word, candidates);
  return nearest.empty() ? "" : "; did you mean '" + printable(nearest) + "'?";
}

namespace {

/// 1e+05 and 1.2e+06, as R and spreadsheets write large numbers. Doubles have whole numbers below
/// 2^53 exactly.
std::optional<std::int64_t> parse_whole_power(std::string_view text) {
  constexpr double kExact = 0x1p53;
  if (text.find_first_of("eE") == text.npos || text.find('+', 1) == text.npos) return std::nullopt;
  const auto number = parse_finite<double>(text);
  if (!number || std::abs(*number) >= kExact || *number != std::floor(*number)) return std::nullopt;
  return static_cast<std::int64_t>(*number);
}

}  // namespace

std::optional<std::int64_t> parse_whole(std::string_view text) {
  text = trim(text);
  if (const auto number = parse_whole_power(text)) return number;
  if (const std::size_t point = text.find('.'); point != std::string_view::npos && point > 0) {
    if (text.find_first_not_of('0', point + 1) != std::string_view::npos) return std::nullopt;
    text = text.substr(0, point);
  }
  return parse_number<std::int64_t>(without_plus(text));
}

bool is_missing(std::string_view text) {
  static constexpr std::string_view kWords[] = {
      "NA", "N/A", "n/a", "NaN", "nan", "NaT", "null", "NULL", "None", "<NA>", "#N/A", "\\N", "?"};
  text = trim(text);
  return text.empty() || (text.size() <= 4 && std::find(std::begin(kWords), std::end(kWords),
                                                        text) != std::end(kWords));
}

bool is_missing_number(std::string_view text) { return is_missing(text) || trim(text) == "-"; }

std::string joined(std::span<const std::string> names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + printable(name);
  return text;
}

std::string joined(std::span<const std::string> names, std::string_view before_last) {
  if (names.size() < 2) return joined(names);
  return joined(names.first(names.size() - 1)) + " " + std::string(before_last) + " " +
         printable(names.back());
}

std::string printable(std::string_view text, std::size_t max_length) {
  std::string out;
  while (!text.empty()) {
    if (out.size() >= max_length) return out + "...";
    std::size_t length = utf8_length(text);
    if (length == 0 || is_terminal_control(utf8_character(text, length))) {
      length = append_escaped(text, out);
    } else {
      out += text.substr(0, length);
    }
    text.remove_prefix(length);
  }
  return out;
}

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

std::size_t find_non_text(std::string_view text) {
  constexpr std::uint64_t kHigh = 0x8080808080808080U, kOnes = 0x0101010101010101U;
  for (std::size_t at = 0; at < text.size();) {
    std::uint64_t word = 0;
    if (at + 8 <= text.size()) std::memcpy(&word, text.data() + at, 8);
    if (((word | (word - kOnes)) & kHigh) == 0) {  // no byte is 0 or above 0x7f
      at += 8;
      continue;
    }
    const std::size_t length = utf8_length(text.substr(at));
    if (length == 0 || text[at] == '\0') return at;
    at += length;
  }
  return std::string_view::npos;
}

}  // namespace frugal
