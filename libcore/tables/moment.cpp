#include "libcore/tables/moment.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

#include "libcore/base/text.h"

namespace frugal {
namespace {

using std::chrono::year_month_day;

constexpr std::int64_t kSecondsADay = 86400;
constexpr std::int64_t kNanoseconds = 1'000'000'000;

/// Parses a text from its beginning.
class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  bool at_end() const { return text_.empty(); }
  bool take(std::string_view what) {
    if (!text_.starts_with(what)) return false;
    text_.remove_prefix(what.size());
    return true;
  }
  /// Parses a number of `least` to `most` digits, as many as possible.
  std::optional<int> number(std::size_t least, std::size_t most) {
    std::size_t size = 0;
    int value = 0;
    while (size < std::min(most, text_.size()) && is_digit(text_[size])) {
      value = value * 10 + (text_[size++] - '0');
    }
    if (size < least) return std::nullopt;
    text_.remove_prefix(size);
    return value;
  }
  /// Parses the digits of a fraction as nanoseconds; digits after the ninth are dropped.
  std::optional<std::int32_t> fraction() {
    std::size_t size = 0;
    std::int32_t value = 0;
    for (; size < text_.size() && is_digit(text_[size]); ++size) {
      if (size < 9) value = value * 10 + (text_[size] - '0');
    }
    if (size == 0) return std::nullopt;
    for (std::size_t i = size; i < 9; ++i) value *= 10;
    text_.remove_prefix(size);
    return value;
  }

 private:
  std::string_view text_;
};

std::optional<std::int64_t> days_since_1970(int year, int month, int day) {
  const year_month_day date{std::chrono::year(year),
                            std::chrono::month(static_cast<unsigned>(month)),
                            std::chrono::day(static_cast<unsigned>(day))};
  if (!date.ok() || year < 1) return std::nullopt;
  return std::chrono::sys_days(date).time_since_epoch().count();
}

struct ClockTime {
  int hour = 0, minute = 0, second = 0;

  /// 24:00:00 is the end of a day (ISO 8601), a 60th second is a leap second.
  bool exists() const {
    return (hour <= 23 && minute <= 59 && second <= 60) ||
           (hour == 24 && minute == 0 && second == 0);
  }
  std::int64_t in_seconds() const { return (std::int64_t{hour} * 60 + minute) * 60 + second; }
};

/// Parses "+01:00", "+0100", "+01", "Z", "UTC" or "GMT" as an offset in seconds.
std::optional<std::int32_t> zone(Reader& text) {
  text.take(" ");
  if (text.take("Z") || text.take("z") || text.take("UTC") || text.take("GMT")) return 0;
  const bool west = text.take("-");
  if (!west && !text.take("+")) return std::nullopt;
  const auto hours = text.number(2, 2);
  if (!hours) return std::nullopt;
  const bool has_minutes = text.take(":");
  const auto minutes = text.number(2, 2);
  if ((has_minutes && !minutes) || *hours > 23 || minutes.value_or(0) > 59) return std::nullopt;
  const std::int32_t seconds = (*hours * 60 + minutes.value_or(0)) * 60;
  return west ? -seconds : seconds;
}

/// Reads "13:05", "13:05:59", "13:05:59.123" and a zone after it, or "13" alone.
bool read_time(Reader& text, Moment& moment) {
  ClockTime time;
  const auto hour = text.number(2, 2);
  if (!hour) return false;
  time.hour = *hour;
  if (text.take(":")) {
    const auto minute = text.number(2, 2);
    if (!minute) return false;
    time.minute = *minute;
    if (text.take(":")) {
      const auto second = text.number(2, 2);
      if (!second) return false;
      time.second = *second;
      if (text.take(".") || text.take(",")) {
        const auto fraction = text.fraction();
        if (!fraction) return false;
        moment.nanoseconds = *fraction;
      }
    }
  }
  if (!text.at_end()) {
    const auto offset = zone(text);
    if (!offset) return false;
    moment.offset = *offset;
  }
  moment.seconds += time.in_seconds() - moment.offset;
  return text.at_end() && time.exists();
}

/// Parses "2024-02-29" or "2024/2/29", alone or with a time.
std::optional<Moment> parse_separated(std::string_view digits) {
  Reader text(digits);
  const auto year = text.number(4, 4);
  const std::string_view separator = text.take("-") ? "-" : "/";
  if (!year || (separator == "/" && !text.take("/"))) return std::nullopt;
  const auto month = text.number(1, 2);
  if (!month || !text.take(separator)) return std::nullopt;
  const auto day = text.number(1, 2);
  if (!day) return std::nullopt;
  const auto days = days_since_1970(*year, *month, *day);
  if (!days) return std::nullopt;
  Moment moment{.seconds = *days * kSecondsADay, .has_time = !text.at_end()};
  if (!moment.has_time) return moment;
  if (!text.take("T") && !text.take("t") && !text.take(" ")) return std::nullopt;
  return read_time(text, moment) ? std::optional(moment) : std::nullopt;
}

/// Parses the time after a compact date: HH, HHMM or HHMMSS, or with a T before it and an optional
/// zone after it.
std::optional<Moment> read_compact_time(Reader& text, Moment moment) {
  const bool is_basic = text.take("T") || text.take("t");
  ClockTime time;
  const auto hour = text.number(2, 2);
  if (!hour) return std::nullopt;
  time.hour = *hour;
  time.minute = text.number(2, 2).value_or(0);
  time.second = text.number(2, 2).value_or(0);
  if (is_basic && !text.at_end()) {
    const auto offset = zone(text);
    if (!offset) return std::nullopt;
    moment.offset = *offset;
  }
  moment.seconds += time.in_seconds() - moment.offset;
  return text.at_end() && time.exists() ? std::optional(moment) : std::nullopt;
}

/// Parses 8, 10, 12 or 14 digits, or YYYYMMDDTHHMMSSZ of ISO 8601's basic format.
std::optional<Moment> parse_compact(std::string_view digits) {
  // Unix times of this length are of years when nobody writes dates in this form.
  constexpr int kFirstYear = 1800, kLastYear = 2199, kFirstYearWithHour = 1970;
  Reader text(digits);
  const auto four = text.number(4, 4), month = text.number(2, 2), day = text.number(2, 2);
  if (!four || !month || !day) return std::nullopt;
  const bool has_time = !text.at_end();
  const auto days = days_since_1970(*four, *month, *day);
  const bool ends_early = digits.size() == 10 || digits.size() == 12;  // with hour or minute
  const int first = ends_early ? kFirstYearWithHour : kFirstYear;
  if (days && *four >= first && *four <= kLastYear) {
    const Moment moment{.seconds = *days * kSecondsADay, .has_time = has_time};
    return has_time ? read_compact_time(text, moment) : moment;
  }
  // YYMMDDHH. Dates of the years 18 to 21 would look like YYYYMMDD now and then: they are refused.
  if (digits.size() != 8) return std::nullopt;
  const int century = *four / 100;
  const auto short_days = days_since_1970(2000 + century, *four % 100, *month);
  if (!short_days || *day > 23 || (century >= 18 && century <= 21)) return std::nullopt;
  return Moment{.seconds = *short_days * kSecondsADay + std::int64_t{*day} * 3600};
}

/// `value` counts 1/`per_second` seconds.
Moment from_count(std::int64_t value, std::int64_t per_second) {
  std::int64_t seconds = value / per_second, rest = value % per_second;
  if (rest < 0) --seconds, rest += per_second;
  return {.seconds = seconds,
          .nanoseconds = static_cast<std::int32_t>(rest * (kNanoseconds / per_second))};
}

/// Parses "1709211959.5" to nine decimals; a double would lose the last three.
std::optional<Moment> parse_decimal_seconds(std::string_view text) {
  const bool is_negative = text.starts_with('-');
  Reader reader(text.substr(is_negative ? 1 : 0));
  constexpr std::size_t kMostDigits = 9;
  const auto high = reader.number(1, kMostDigits);
  const auto low = reader.number(0, 2);
  if (!high || !reader.take(".")) return std::nullopt;
  const std::size_t whole_digits = text.find('.') - (is_negative ? 1 : 0);
  if (whole_digits > kMostDigits + 2) return std::nullopt;
  const auto fraction = reader.fraction();
  if (!fraction || !reader.at_end()) return std::nullopt;
  std::int64_t seconds = *high;
  for (std::size_t i = kMostDigits; i < whole_digits; ++i) seconds *= 10;
  seconds += low.value_or(0);
  if (!is_negative) return Moment{.seconds = seconds, .nanoseconds = *fraction};
  if (*fraction == 0) return Moment{.seconds = -seconds};
  return Moment{.seconds = -seconds - 1,
                .nanoseconds = static_cast<std::int32_t>(kNanoseconds - *fraction)};
}

std::optional<Moment> parse_unix_time(std::string_view text) {
  text = without_plus(text);
  if (const auto whole = parse_number<std::int64_t>(text)) {
    const std::uint64_t size =
        *whole < 0 ? 0 - static_cast<std::uint64_t>(*whole) : static_cast<std::uint64_t>(*whole);
    if (size < 100'000'000'000) return from_count(*whole, 1);
    if (size < 100'000'000'000'000) return from_count(*whole, 1'000);
    if (size < 100'000'000'000'000'000) return from_count(*whole, 1'000'000);
    return from_count(*whole, kNanoseconds);
  }
  if (const auto exact = parse_decimal_seconds(text)) return exact;
  const auto number = parse_finite<double>(text);
  if (!number || std::fabs(*number) >= 9e18) return std::nullopt;
  const double size = std::fabs(*number);
  const double scale = size < 1e11 ? 1 : size < 1e14 ? 1e3 : size < 1e17 ? 1e6 : 1e9;
  const double seconds = std::floor(*number / scale);
  const auto nanoseconds = static_cast<std::int64_t>((*number / scale - seconds) * 1e9);
  return Moment{.seconds = static_cast<std::int64_t>(seconds),
                .nanoseconds = static_cast<std::int32_t>(std::min(nanoseconds, kNanoseconds - 1))};
}

/// The digits of a date without a fraction of zeros.
std::string_view without_zeros(std::string_view text) {
  const std::string_view digits = text.substr(0, text.find('.'));
  const bool is_whole = text.find_first_not_of('0', digits.size() + 1) == std::string_view::npos;
  return is_whole && has_digits_of_date(digits) ? digits : text;
}

}  // namespace

std::optional<std::int64_t> Moment::in_nanoseconds() const {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max() / kNanoseconds - 1;
  if (seconds < -kMost || seconds > kMost) return std::nullopt;
  return seconds * kNanoseconds + nanoseconds;
}

std::optional<Moment> parse_calendar_moment(std::string_view text) {
  text = trim(text);
  if (text.size() < 8) return std::nullopt;
  if (text[4] == '-' || text[4] == '/') return parse_separated(text);
  return text.find_first_of("Tt") == 8 ? parse_compact(text) : std::nullopt;
}

bool has_digits_of_date(std::string_view text) {
  return (text.size() == 8 || text.size() == 10 || text.size() == 12 || text.size() == 14) &&
         text.find_first_not_of("0123456789") == std::string_view::npos;
}

std::optional<Moment> parse_digit_date(std::string_view text) {
  text = trim(text);
  return has_digits_of_date(text) ? parse_compact(text) : std::nullopt;
}

std::optional<Moment> parse_moment(std::string_view text) {
  text = without_zeros(trim(text));
  if (const auto moment = parse_calendar_moment(text)) return moment;
  if (const auto moment = parse_digit_date(text)) return moment;
  // Ten digits of no date are a Unix time of the years after 2031, twelve one around 1976.
  const bool is_date = (text.size() == 8 || text.size() == 14) && has_digits_of_date(text) &&
                       text >= "18" && text < "22";
  return is_date ? std::nullopt : parse_unix_time(text);
}

std::optional<CalendarDate> calendar_date(const Moment& moment) {
  constexpr std::int64_t kFirst = -62135596800, kLast = 253402300799;  // years 1 to 9999
  constexpr std::int64_t kMost = std::int64_t{1} << 62;
  if (moment.seconds < -kMost || moment.seconds > kMost) return std::nullopt;
  const std::int64_t shown = moment.seconds + moment.offset;
  if (shown < kFirst || shown > kLast) return std::nullopt;
  const std::chrono::sys_seconds point{std::chrono::seconds(shown)};
  const auto days = std::chrono::floor<std::chrono::days>(point);
  const year_month_day date(days);
  const auto hour = std::chrono::floor<std::chrono::hours>(point - days).count();
  return CalendarDate{static_cast<int>(date.year()),
                      static_cast<int>(static_cast<unsigned>(date.month())),
                      static_cast<int>(static_cast<unsigned>(date.day())),
                      static_cast<int>(std::chrono::weekday(days).iso_encoding()) - 1,
                      moment.has_time ? static_cast<int>(hour) : -1};
}

}  // namespace frugal
