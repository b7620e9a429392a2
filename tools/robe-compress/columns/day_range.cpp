#include "tools/robe-compress/columns/day_range.h"

#include <algorithm>

#include "libcore/base/error.h"
#include "libcore/base/text.h"
#include "libcore/tables/moment.h"

namespace frugal::robe {
namespace {

constexpr std::size_t kDayDigits = 8;      ///< YYYYMMDD, and YYMMDDHH
constexpr std::size_t kHourDigits = 10;    ///< YYYYMMDDHH
constexpr std::size_t kMinuteDigits = 12;  ///< YYYYMMDDHHMM

bool has_digits_only(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

/// Whether digits are a calendar date and no Unix time.
bool is_compact_date(std::string_view text) {
  if (!has_digits_of_date(text)) return false;
  const auto moment = parse_moment(text);
  const auto count = parse_number<std::int64_t>(text);
  const std::int64_t unit = text.size() >= kMinuteDigits ? 1000 : 1;
  return moment && count && moment->seconds != *count / unit;
}

/// Whether a number could be a Unix time beside a date: 10 digits count seconds, 13 milliseconds.
bool may_be_unix_time(std::string_view text) {
  const std::string_view whole = text.substr(0, text.find('.'));
  const std::size_t size = whole.size();
  return has_digits_only(whole) && (size == 10 || size == 13 || size == 16 || size == 19);
}

/// A whole number without the fraction 0, which pandas writes where a column has gaps.
std::string_view without_zeros(std::string_view text) {
  const std::size_t point = text.find('.');
  const bool is_whole = point != std::string_view::npos && has_digits_only(text.substr(0, point)) &&
                        text.find_first_not_of('0', point + 1) == std::string_view::npos;
  return is_whole ? text.substr(0, point) : text;
}

/// Seconds that a date without digits for smaller units lasts: a day, an hour, a minute or a
/// second.
std::int64_t duration_of(std::string_view text, const Moment& moment) {
  constexpr std::int64_t kMinute = 60, kHour = 3600, kDay = 86400;
  if (!moment.has_time) return kDay;
  if (has_digits_only(text)) {
    if (text.size() == kMinuteDigits) return kMinute;
    return text.size() == kDayDigits || text.size() == kHourDigits ? kHour : 1;
  }
  std::string_view time = text.substr(std::min(text.find_first_of("Tt "), text.size() - 1) + 1);
  time = time.substr(0, time.find_first_of("+-Zz UG"));
  const auto colons = std::count(time.begin(), time.end(), ':');
  if (colons == 0 && time.size() <= 2) return kHour;
  return colons == 1 || (colons == 0 && time.size() <= 4) ? kMinute : 1;
}

/// Whether a year ends the text behind a dot, as in 29.02.2024. 2024.02.29 is in order as a text.
bool ends_in_year(std::string_view text) {
  const std::string_view part = text.substr(text.rfind('.') + 1);
  return part.size() >= 4 && has_digits_only(part.substr(0, 4));
}

bool names_zone(std::string_view text) {
  constexpr std::size_t kDate = 8;  // no '-' behind it is one of the date
  const std::size_t time = text.find_first_of("Tt ", std::min(kDate, text.size()));
  return time != std::string_view::npos && text.find_first_of("+-ZzUG", time) != text.npos;
}

int sign(double difference) { return difference < 0 ? -1 : difference > 0 ? 1 : 0; }

}  // namespace

DayBound::Kind DayBound::kind_of(std::string_view text) {
  if (parse_calendar_moment(text)) return Kind::date;
  if (is_compact_date(text)) return Kind::compact_date;
  return parse_finite<double>(text) ? Kind::number : Kind::text;
}

DayBound::DayBound(std::string_view text)
    : text_(without_zeros(trim(text))), kind_(kind_of(text_)) {
  if (kind_ == Kind::number || kind_ == Kind::compact_date) number_ = *parse_finite<double>(text_);
  if (kind_ == Kind::text) {
    const auto has_two = [&](char mark) {
      return std::count(text_.begin(), text_.end(), mark) == 2;
    };
    const bool is_date = text_.find_first_not_of("0123456789/-.: ") == std::string::npos &&
                         (has_two('/') || has_two('-') || (has_two('.') && ends_in_year(text_)));
    if (!is_date) return;
    fail(ExitStatus::usage, "--days has '", printable(text_),
         "', expected a date like 2024-02-29, 2024-02-29T13 or 20240229 that exists, a number or "
         "a text");
  }
  const auto moment = parse_moment(text_);
  if (!moment) return;
  begin_ = moment->seconds;
  duration_ = kind_ == Kind::number ? 1 : duration_of(text_, *moment);
  has_zone_ = kind_ == Kind::number || names_zone(text_);
}

void DayBound::refuse(std::string_view field, std::string_view expected) const {
  fail(ExitStatus::bad_input, "found '", printable(field, 30), "', expected ", expected,
       " to compare with '", printable(text_), "' of --days");
}

int DayBound::order_in_time(std::string_view field) const {
  const auto moment = parse_moment(field);
  if (!moment) refuse(field, "a date like 2024-02-29");
  const std::int64_t seconds = moment->seconds + (has_zone_ ? 0 : moment->offset);
  return seconds < begin_ ? -1 : seconds < begin_ + duration_ ? 0 : 1;
}

int DayBound::order(std::string_view field) const {
  field = without_zeros(trim(field));
  if (kind_ == Kind::date) return order_in_time(field);
  if (kind_ == Kind::text) return field.compare(text_);
  const Kind kind = kind_of(field);
  if (kind == Kind::text) refuse(field, "a number or a date");
  const bool is_time = kind_ == Kind::compact_date ? kind != Kind::number || may_be_unix_time(field)
                                                   : kind == Kind::date && may_be_unix_time(text_);
  if (is_time) return order_in_time(field);
  if (kind == Kind::date) refuse(field, "a number");
  return sign(*parse_finite<double>(field) - number_);
}

DayRange::DayRange(std::string_view text) {
  const std::size_t equal = text.find('='), dots = text.find("..", equal);
  if (equal == std::string_view::npos || equal == 0 || dots == std::string_view::npos) {
    fail(ExitStatus::usage, "--days is '", printable(text),
         "', expected COLUMN=FROM..TO like day=3..5");
  }
  column = trim(text.substr(0, equal));
  from_ = DayBound(text.substr(equal + 1, dots - equal - 1));
  to_ = DayBound(text.substr(dots + 2));
}

bool DayRange::contains(std::string_view value) const {
  if (is_missing(value)) return false;
  return (from_.is_open() || from_.order(value) >= 0) && (to_.is_open() || to_.order(value) <= 0);
}

}  // namespace frugal::robe
