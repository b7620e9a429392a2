#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

namespace frugal::sparse {

/// A moment as a calendar shows it; what is not known is -1.
struct CalendarDate {
  int year = 0;
  int month = 0;    ///< 1..12
  int day = 0;      ///< 1..31
  int weekday = 0;  ///< 0 = Monday
  int hour = -1;    ///< 0..23; -1: only the day is known
};

/// Parses "2024-02-29", "2024-02-29T13:05:59Z" (a blank for the T, fractions of seconds and an
/// offset like +01:00 are allowed: the hour is the one that is written) and Unix seconds, taken as
/// UTC. Nothing where the text is no date or the day does not exist.
std::optional<CalendarDate> parse_date(std::string_view text);

/// The features of a date: what they are called, and the value of each; -1 = not there.
struct DatePart {
  std::string_view name;
  int CalendarDate::*value;
};
inline constexpr DatePart kDateParts[] = {{"weekday", &CalendarDate::weekday},
                                          {"month", &CalendarDate::month},
                                          {"year", &CalendarDate::year},
                                          {"day", &CalendarDate::day},
                                          {"hour", &CalendarDate::hour}};

}  // namespace frugal::sparse
