#include "tools/robe-compress/columns/day_range.h"

#include <doctest/doctest.h>

#include <initializer_list>

#include "libcore/base/error.h"

using namespace frugal;
using namespace frugal::robe;

namespace {

bool all_in(const std::string& range, std::initializer_list<const char*> values) {
  const DayRange days("c=" + range);
  bool all = true;
  for (const char* value : values) {
    CAPTURE(range);
    CAPTURE(value);
    CHECK(days.contains(value));
    all = all && days.contains(value);
  }
  return all;
}

bool none_in(const std::string& range, std::initializer_list<const char*> values) {
  const DayRange days("c=" + range);
  bool none = true;
  for (const char* value : values) {
    CAPTURE(range);
    CAPTURE(value);
    CHECK_FALSE(days.contains(value));
    none = none && !days.contains(value);
  }
  return none;
}

template <class Body>
std::string range_refusal(const Body& body) {
  try {
    body();
  } catch (const Error& error) {
    return std::to_string(static_cast<int>(error.status())) + ' ' + error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("a range of days has all of its last day, hour, minute and second") {
  CHECK(all_in("2024-02-01..2024-02-02",
               {"2024-02-01", "2024-02-01T00:00:00", "2024-02-02 23:59:59.9"}));
  CHECK(none_in("2024-02-01..2024-02-02", {"2024-01-31T23:59:59", "2024-02-03", "", "NaN"}));
  CHECK(all_in("2024-02-01T05..2024-02-01T06", {"2024-02-01T05:00", "2024-02-01T06:59:59"}));
  CHECK(none_in("2024-02-01T05..2024-02-01T06", {"2024-02-01T04:59", "2024-02-01T07:00"}));
  CHECK(all_in("..2024-02-01T05:10", {"2024-02-01T05:10:59", "1999-01-01"}));
  CHECK(none_in("..2024-02-01T05:10", {"2024-02-01T05:11"}));
  CHECK(all_in("..2024-02-01T05:10:07", {"2024-02-01T05:10:07.5"}));
  CHECK(none_in("..2024-02-01T05:10:07", {"2024-02-01T05:10:08"}));
  CHECK(all_in("20240201..20240202", {"2024-02-02T23:00"}));
  CHECK(all_in("..2024020205", {"2024-02-02T05:59"}));
  CHECK(none_in("..2024020205", {"2024-02-02T06:00"}));
  CHECK(all_in("..202402020510", {"2024-02-02T05:10:59", "202402020510"}));
  CHECK(none_in("..202402020510", {"2024-02-02T05:11", "202402020511"}));
}

TEST_CASE("a day is found however the column and the range write it") {
  // 2024-02-02T23:00 in all forms; 1706914800 are its seconds since 1970.
  for (const char* range :
       {"2024-02-01..2024-02-02", "20240201..20240202", "2024020100..2024020223",
        "24020100..24020223", "1706745600..1706914800", "2024/2/1..2024/2/2"}) {
    CHECK(all_in(range, {"2024-02-02T23:00:00", "1706914800", "1706914800.0", "2024/02/02 23:00"}));
    CHECK(none_in(range, {"2024-02-03T00:00:00", "2024-01-31T00:00"}));
  }
  for (const char* range : {"2024-02-01..2024-02-02", "20240201..20240202"}) {
    CHECK(all_in(range, {"20240202", "2024020223", "24020223", "1706914800000"}));
    CHECK(none_in(range, {"20240203", "2024020300", "24020300", "1706918400000", "1706918400"}));
  }
}

TEST_CASE("days are those of the field's own clock unless the range names a zone") {
  CHECK(all_in("2024-02-01..2024-02-01", {"2024-02-01T23:30-05:00", "2024-02-01T00:30+05:00"}));
  CHECK(none_in("2024-02-01T00:00Z..2024-02-01T23:59Z", {"2024-02-01T23:30-05:00"}));
  CHECK(all_in("2024-02-01T00:00Z..2024-02-01T23:59Z", {"2024-02-01T18:30-05:00"}));
}

TEST_CASE("numbers are compared as numbers, texts as texts") {
  CHECK(all_in("3..20", {"3", "10", "20", "3.0"}));
  CHECK(none_in("3..20", {"2", "21", "20.5", "100", ""}));
  CHECK(none_in("14102100..14102508", {"141021001", "14102509"}));
  CHECK(all_in("2024-W05..2024-W07", {"2024-W06"}));
  CHECK(none_in("2024-W05..2024-W07", {"2024-W08"}));
}

TEST_CASE("what cannot be compared is an error") {
  CHECK(DayRange("c=2024.01.01..2024.03.05").contains("2024.02.03"));
  CHECK(range_refusal([] { DayRange("c=30.01.2024..4.2.2024"); }).find("expected a date like") !=
        std::string::npos);
  CHECK(range_refusal([] { DayRange("c=01/02/2024..12/31/2024"); }).find("expected a date like") !=
        std::string::npos);
  CHECK(range_refusal([] { DayRange("c=2024-02-30.."); }).find("that exists") != std::string::npos);
  CHECK(range_refusal([] { DayRange("c=2024-02-01..").contains("01/02/2024"); }) ==
        "65 found '01/02/2024', expected a date like 2024-02-29 to compare with '2024-02-01' of "
        "--days");
  CHECK(range_refusal([] {
          DayRange("c=3..5").contains("2024-02-01");
        }).find("expected a number") != std::string::npos);
  CHECK(range_refusal([] { DayRange("c=3..5").contains("x"); }).find("a number or a date") !=
        std::string::npos);
}

TEST_CASE(
    "whole numbers of columns with gaps are dates, and months, clocks and versions are texts") {
  CHECK(all_in("20240205..20240210", {"20240205.0", "20240210.0", "20240207"}));
  CHECK(none_in("2024-02-05..2024-02-10", {"20240204.0", "20240211.0"}));
  CHECK(all_in("2024-02-05..2024-02-10", {"20240205.0", "20240210.0"}));
  CHECK(all_in("2024-01..2024-03", {"2024-01", "2024-02", "2024-03"}));
  CHECK(none_in("2024-01..2024-03", {"2023-12", "2024-04"}));
  CHECK(all_in("08:00..17:00", {"08:00", "12:30"}));
  CHECK(none_in("1.2.3..1.4.3", {"1.2.2", "1.5.0"}));
}
