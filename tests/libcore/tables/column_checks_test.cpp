#include "libcore/tables/column_checks.h"

#include <doctest/doctest.h>

#include "tests/support/text_file.h"

using namespace frugal;

namespace {

const std::vector<TableRow> kMarkedRows = {{"a", "1.5", "12", "1.234,5", "1,2,3"},
                                           {"NA", "2.5", "7", "x.y", "9,5"},
                                           {"3", "4", "5", "", "1.5"}};

/// The fault of a number in a column of these rows, or "no error".
std::string mark_refusal(std::size_t column, const char* number, char separator = ';') {
  const std::vector<std::string> header = {"text", "points"};
  const DecimalMarks marks(separator, kMarkedRows, header);
  return error_of([&] { marks.check(column, number); });
}

}  // namespace

TEST_CASE("a column has one decimal mark, a comma if any number has one") {
  CHECK(mark_refusal(1, " 1,5 ") ==
        "65 column 'points' has '1,5' with a comma and '1.5' with a point, expected one decimal "
        "mark, and none between thousands");
  CHECK(mark_refusal(4, "1.234") ==
        "65 column '5' has '1.234' with a point and '9,5' with a comma, expected one decimal mark, "
        "and none between thousands");
  CHECK(mark_refusal(1, "3.5") == "no error");
  CHECK(mark_refusal(1, "3") == "no error");
  CHECK(mark_refusal(4, "3,5") == "no error");
}

TEST_CASE("columns whose first rows have neither mark are not checked, nor other separators") {
  for (const char* number : {"1.5", "1,5"}) {
    for (const std::size_t column : {0, 2, 3, 5}) CHECK(mark_refusal(column, number) == "no error");
    CHECK(mark_refusal(4, number, ',') == "no error");
    CHECK(error_of([&] { DecimalMarks().check(0, number); }) == "no error");
  }
}
