#include "libcore/tables/moment.h"

#include <doctest/doctest.h>

#include <string>

#include "libcore/base/text.h"

using namespace frugal;

namespace {

/// "SECONDS[.NANOSECONDS][+OFFSET]" of a text, "none" if it is no moment.
std::string moment(std::string_view text) {
  const auto found = parse_moment(text);
  if (!found) return "none";
  std::string out = std::to_string(found->seconds);
  if (found->nanoseconds != 0) out += "." + std::to_string(found->nanoseconds);
  if (found->offset != 0) out += (found->offset < 0 ? "" : "+") + std::to_string(found->offset);
  return out + (found->has_time ? "" : " day");
}

std::string calendar(std::string_view text) {
  const auto found = parse_moment(text);
  const auto date = found ? calendar_date(*found) : std::nullopt;
  if (!date) return "none";
  return std::to_string(date->year) + "-" + std::to_string(date->month) + "-" +
         std::to_string(date->day) + " " + std::to_string(date->weekday) + " " +
         std::to_string(date->hour);
}

}  // namespace

TEST_CASE("dates of ISO 8601, with and without a time and a zone") {
  CHECK(moment("2024-02-29") == "1709164800 day");
  CHECK(moment(" 2024/2/29 ") == "1709164800 day");
  CHECK(moment("2024-02-29T13:05:59Z") == "1709211959");
  CHECK(moment("2024-02-29 13:05:59") == "1709211959");
  CHECK(moment("2024-02-29 13:05") == "1709211900");
  CHECK(moment("2024-02-29 13:05:59.123456") == "1709211959.123456000");
  CHECK(moment("2024-02-29 13:05:59,5") == "1709211959.500000000");
  CHECK(moment("2024-02-29 13:05:59+00:00") == "1709211959");
  CHECK(moment("2024-02-29 13:05:59 UTC") == "1709211959");
  CHECK(moment("2024-02-29T13:05:00+02:00") == "1709204700+7200");
  CHECK(moment("2024-02-29T23:30:00-0500") == "1709267400-18000");
  CHECK(moment("20240229T130559Z") == "1709211959");
  CHECK(moment("2024-02-29T24:00:00") == moment("2024-03-01T00:00:00"));
  CHECK(moment("1969-12-31T23:59:59.5Z") == "-1.500000000");
  CHECK(moment("0001-01-01") == "-62135596800 day");
  for (const char* text :
       {"", "2024-02-30", "2023-02-29", "2024-13-01", "29/02/2024", "2024-02", "2024-02-29T25:00",
        "2024-02-29T13:05:", "2024-02-29T13:05+", "2024-02-29x", "2024-02/29", "Feb 29 2024", "NaT",
        "0000-01-01", "2024-02-29T13:05:59+1", "--------"}) {
    CAPTURE(text);
    CHECK(moment(text) == "none");
  }
}

TEST_CASE("digits are calendar dates where they can be, else Unix times by their size") {
  CHECK(moment("20240229") == "1709164800 day");
  CHECK(moment("2014102113") == moment("2014-10-21T13"));
  CHECK(moment("14102113") == moment("2014-10-21T13"));
  CHECK(moment("20240229130559") == "1709211959");
  CHECK(moment("202402291305") == moment("2024-02-29T13:05"));
  CHECK(moment("197001010000") == "0");
  CHECK(moment("20240229.0") == "1709164800 day");
  CHECK(moment("202402291305.00") == moment("2024-02-29T13:05"));
  CHECK(moment("20240229.5") == "20240229.500000000");
  CHECK(moment("20240230") == "none");
  // Milliseconds of 1976 that are no date, and those of other years.
  CHECK(moment("202402301305") == "202402301.305000000");
  CHECK(moment("196912312359") == "196912312.359000000");
  CHECK(moment("202402292405") == "202402292.405000000");
  CHECK(moment("999999999999") == "999999999.999000000");
  CHECK(moment("1709211959") == "1709211959");
  CHECK(moment("1709211959.5") == "1709211959.500000000");
  CHECK(moment("1709211959.123456789") == "1709211959.123456789");
  CHECK(moment("-0.25") == "-1.750000000");
  CHECK(moment("1.709211959e9") == "1709211959");
  CHECK(moment("1709211959123") == "1709211959.123000000");
  CHECK(moment("1709211959123456") == "1709211959.123456000");
  CHECK(moment("1709211959123456789") == "1709211959.123456789");
  CHECK(moment("-86400") == "-86400");
  CHECK(moment("0") == "0");
  CHECK(moment("99999999999999999999") == "none");
  CHECK(moment("inf") == "none");
  CHECK(parse_moment("1709211959123456789")->in_nanoseconds() == 1709211959123456789);
  CHECK(!parse_moment("9999-12-31")->in_nanoseconds());
  CHECK(!parse_calendar_moment("20240229"));
}

TEST_CASE("a calendar shows the day and the hour that are written") {
  CHECK(calendar("2024-02-29") == "2024-2-29 3 -1");
  CHECK(calendar("2024-02-29T23:30:00-05:00") == "2024-2-29 3 23");
  CHECK(calendar("1709211900") == "2024-2-29 3 13");
  CHECK(calendar("-86400") == "1969-12-31 2 0");
  CHECK(calendar("9999-12-31T23:00-05:00") == "9999-12-31 4 23");
  CHECK(calendar("99999999999") == "5138-11-16 2 9");
}

TEST_CASE("digits that are no Unix times may be dates alone") {
  CHECK(parse_digit_date("2024022913") == parse_moment("2024-02-29T13:00Z"));
  CHECK(parse_digit_date("202402291305") == parse_moment("2024-02-29T13:05Z"));
  CHECK(parse_digit_date(" 20240229130559 ") == parse_moment("2024-02-29T13:05:59Z"));
  for (const char* text : {"1709211959", "2024023013", "20240230130559", "1709211959123",
                           "2024-02-29", "202402291", "x024022913"}) {
    CAPTURE(text);
    CHECK(!parse_digit_date(text));
  }
  // A day that does not exist is no Unix time of the year 2611.
  CHECK(moment("20240230130559") == "none");
}
