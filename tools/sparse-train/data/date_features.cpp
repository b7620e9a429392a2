#include "tools/sparse-train/data/date_features.h"

#include <chrono>

#include "libcore/base/text.h"

namespace frugal::sparse {
namespace {

using std::chrono::year_month_day;

/// The number at the front of `text`, of exactly `digits` digits, which are taken away.
std::optional<int> take_number(std::string_view& text, std::size_t digits) {
  const auto number = parse_number<std::uint32_t>(text.substr(0, digits));
  if (!number || text.size() < digits) return std::nullopt;
  text.remove_prefix(digits);
  return static_cast<int>(*number);
}

bool take(std::string_view& text, char c) {
  if (!text.starts_with(c)) return false;
  text.remove_prefix(1);
  return true;
}

std::optional<CalendarDate> from_days(std::chrono::sys_days days) {
  const year_month_day date(days);
  const std::chrono::weekday weekday(days);
  return CalendarDate{static_cast<int>(date.year()),
                      static_cast<int>(static_cast<unsigned>(date.month())),
                      static_cast<int>(static_cast<unsigned>(date.day())),
                      static_cast<int>(weekday.iso_encoding()) - 1};
}

/// From -290,000 to 290,000 years around 1970 nothing overflows; years of four digits are enough.
std::optional<CalendarDate> from_unix_seconds(std::int64_t seconds) {
  constexpr std::int64_t kLargest = 253402300799;  // the end of 9999
  if (seconds < -kLargest || seconds > kLargest) return std::nullopt;
  const std::chrono::sys_seconds moment{std::chrono::seconds(seconds)};
  const auto days = std::chrono::floor<std::chrono::days>(moment);
  auto date = from_days(days);
  date->hour = static_cast<int>(std::chrono::floor<std::chrono::hours>(moment - days).count());
  return date;
}

/// ":05:59.123+01:00", each part optional from its end.
bool is_rest_of_time(std::string_view text) {
  for (int i = 0; i < 2 && take(text, ':'); ++i) {
    const auto part = take_number(text, 2);
    if (!part || *part > 60) return false;
  }
  if (take(text, '.'))
    text.remove_prefix(std::min(text.find_first_not_of("0123456789"), text.size()));
  if (text.empty() || text == "Z") return true;
  return (take(text, '+') || take(text, '-')) &&
         text.find_first_not_of("0123456789:") == std::string_view::npos && text.size() >= 2 &&
         text.size() <= 5;
}

}  // namespace

std::optional<CalendarDate> parse_date(std::string_view text) {
  text = trim(text);
  if (const auto seconds = parse_number<std::int64_t>(text)) return from_unix_seconds(*seconds);
  const auto year = take_number(text, 4);
  if (!year || !take(text, '-')) return std::nullopt;
  const auto month = take_number(text, 2);
  if (!month || !take(text, '-')) return std::nullopt;
  const auto day = take_number(text, 2);
  if (!day) return std::nullopt;
  const year_month_day date{std::chrono::year(*year),
                            std::chrono::month(static_cast<unsigned>(*month)),
                            std::chrono::day(static_cast<unsigned>(*day))};
  if (!date.ok()) return std::nullopt;
  auto result = from_days(date);
  if (text.empty()) return result;
  if (!take(text, 'T') && !take(text, ' ')) return std::nullopt;
  const auto hour = take_number(text, 2);
  if (!hour || *hour > 23 || !is_rest_of_time(text)) return std::nullopt;
  result->hour = *hour;
  return result;
}

}  // namespace frugal::sparse
