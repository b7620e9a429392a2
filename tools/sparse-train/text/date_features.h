#pragma once
#include <string_view>

#include "libcore/tables/moment.h"

namespace frugal::sparse {

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
