#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

namespace frugal {

/// A point in time, as given by a field of a table.
struct Moment {
  std::int64_t seconds = 0;      ///< since 1970-01-01T00:00:00Z
  std::int32_t nanoseconds = 0;  ///< after that second, 0..999,999,999
  std::int32_t offset = 0;       ///< seconds by which the text's clock is ahead of UTC
  bool has_time = true;          ///< false if the text gives a day without a time

  /// Nanoseconds since 1970; nothing outside 1677..2262, where they exceed 64 bits.
  std::optional<std::int64_t> in_nanoseconds() const;
  bool operator==(const Moment&) const = default;
};

/// Parses, with blanks around it:
///   2024-02-29, 2024/2/29             a day; the year comes first
///   2024-02-29T13:05:59.123+01:00     a blank for the T, "13:05" without seconds, ',' for the '.';
///                                     zones Z, UTC, GMT, +01:00, +0100 and +01, UTC if none
///   20240229, 2014102100, 14102100    YYYYMMDD, YYYYMMDDHH (from 1970 on), YYMMDDHH
///   202402291305, 20240229130559      YYYYMMDDHHMM (from 1970 on), YYYYMMDDHHMMSS
///   1709211959, 1709211959.5          Unix time: seconds below 1e11, milliseconds below 1e14,
///                                     microseconds below 1e17, else nanoseconds; negative as well
/// A number of 8, 10, 12 or 14 digits is a calendar date where it can be one, else a Unix time. A
/// fraction of zeros behind it, as pandas writes in columns with gaps, makes no difference.
/// Returns nothing for other texts and for days that do not exist.
std::optional<Moment> parse_moment(std::string_view text);

/// Parses calendar dates alone: returns nothing for plain numbers, which may count anything.
std::optional<Moment> parse_calendar_moment(std::string_view text);

/// True for 8, 10, 12 or 14 digits.
bool has_digits_of_date(std::string_view text);
/// Parses dates of digits alone: YYYYMMDD, YYYYMMDDHH, YYMMDDHH, YYYYMMDDHHMM or YYYYMMDDHHMMSS.
/// Returns nothing for other numbers, among them Unix times of today.
std::optional<Moment> parse_digit_date(std::string_view text);

/// Local date and hour in the time zone of the text.
struct CalendarDate {
  int year = 0;     ///< 1..9999
  int month = 0;    ///< 1..12
  int day = 0;      ///< 1..31
  int weekday = 0;  ///< 0 = Monday
  int hour = -1;    ///< 0..23; -1 if only the day is known
};
/// Returns nothing outside the years 1 to 9999.
std::optional<CalendarDate> calendar_date(const Moment& moment);

}  // namespace frugal
