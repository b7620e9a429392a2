#include "libcore/tables/table_columns.h"

#include <doctest/doctest.h>

#include <array>

#include "tests/support/text_file.h"

using namespace frugal;

namespace {

enum class Type { text, category, time, hour, label };
constexpr std::array<ColumnTypeRow, 5> kColumnRows{
    {{.name = "text"},
     {.name = "category", .splits = true},
     {.name = "time", .shared = true},
     {.name = "hour", .shared = true},
     {.name = "label", .once = true, .splits = true}}};
constexpr ColumnTypes<Type> kTypes{kColumnRows};
using Columns = std::vector<ColumnTypes<Type>::Column>;

std::string problem(const std::string& columns) {
  return error_of([&] { kTypes.parse(columns); });
}

const ColumnNames kNames({"label", "2", "text", "same", "same"}, 5, "x.csv:1");

}  // namespace

TEST_CASE("declarations of columns are read as they are written") {
  CHECK(kTypes.parse("").empty());
  CHECK(kTypes.parse("a:text, b:label") == Columns{{"a", Type::text}, {"b", Type::label}});
  CHECK(kTypes.parse("x:y:category(,),2:time,*:text") ==
        Columns{{"x:y", Type::category, ","}, {"2", Type::time}, {"*", Type::text}});
  CHECK(kTypes.parse("l:label(;)")[0].separator == ";");
  CHECK(kTypes.parse("t:time,t:hour").size() == 2);
  CHECK(kTypes.parse(R"x("user, name":category(;), "kind:of":text,"say ""a (b)""":time)x") ==
        Columns{{"user, name", Type::category, ";"},
                {"kind:of", Type::text},
                {R"x(say "a (b)")x", Type::time}});
  CHECK(kTypes.parse(R"("open:text)")[0].name == "\"open");
}

TEST_CASE("declarations that mean nothing are refused with the part that is wrong") {
  CHECK(problem("a:text,b") ==
        "2 --columns: 'b' has no type, expected NAME:TYPE with one of text, category, time, "
        "hour, "
        "label; category(;) and label(;) split a field at ';'");
  CHECK(problem(":text").starts_with("2 --columns: ':text' has no name, expected"));
  CHECK(problem("a:tetx").ends_with("; did you mean 'text'?"));
  CHECK(problem("text(;)=a").starts_with("2 --columns: 'text(;)=a' has no type"));
  CHECK(problem("times=4").ends_with("; did you mean '4:time'?"));
  CHECK(problem("a:text(;)").starts_with("2 --columns: 'a:text(;)' cannot be split"));
  CHECK(problem("a:category()").starts_with("2 --columns: 'a:category()' has an empty separator"));
  CHECK(problem("a:text,a:hour") == "2 --columns: 'a' is declared twice, expected it once");
  CHECK(problem("a:time,a:time") == "2 --columns: 'a' is declared twice, expected it once");
  CHECK(problem("b:label,c:label") ==
        "2 --columns: 'c' is a second column of type label, expected one; label(;) splits a "
        "field "
        "at ';'");
  CHECK(problem("*:label").starts_with("2 --columns: '*:label' would be several columns"));
}

TEST_CASE("a column is found by name, then by number") {
  CHECK(kNames.find("text") == 2);
  CHECK(kNames.find("2") == 1);
  CHECK(kNames.find("1") == 0);
  CHECK(kNames.has("label"));
  CHECK(!kNames.has("1"));
  CHECK(kNames[2] == "text");
  CHECK(error_of([] { kNames.find("txet"); }) ==
        "2 x.csv:1: no column 'txet', expected label, 2, text, same, same or a number from 1 "
        "to 5; "
        "did you mean 'text'?");
  CHECK(error_of([] { kNames.find("same"); }) ==
        "65 x.csv:1: the header has the column 'same' twice, expected it once, or its number");
  const ColumnNames numbers({}, 3, "x.csv");
  CHECK(numbers[2] == "3");
  CHECK(error_of([&] { numbers.find("4"); }) ==
        "2 x.csv: no column '4', expected a number from 1 to 3");
  CHECK(error_of([&] { numbers.find("0"); }).starts_with("2 x.csv: no column '0'"));
}

TEST_CASE("a column that a model needs has its name, and its absence is a fault of the data") {
  const ColumnNames names({"click", "user", "user"}, 3, "f:1");
  const std::vector<std::string> needed = {"age", "2"};
  CHECK(names.find_needed("click", needed) == 0);
  CHECK(ColumnNames({}, 3, "f").find_needed("2", needed) == 1);
  for (const char* name : {"age", "2"}) {
    CHECK(error_of([&] { names.find_needed(name, needed); }) ==
          "65 f:1: has no column '" + std::string(name) +
              "'; the model needs age, 2, the data have click, user, user");
  }
  CHECK(error_of([&] { names.find_needed("user", needed); }).starts_with("65 f:1: the header has"));
}

TEST_CASE("a header and its lines may have different numbers of columns") {
  const ColumnNames longer({"a", "b", "c"}, 2, "x.csv:1");
  CHECK(longer.find("b") == 1);
  CHECK(error_of([&] { longer.find("c"); }) ==
        "65 x.csv:1: 'c' is column 3 of the header, but lines have 2 columns");
  const ColumnNames shorter({"a", "b"}, 4, "x.csv:1");
  CHECK(shorter[1] == "b");
  CHECK(shorter[3] == "4");
  const auto placed = kTypes.place(kTypes.parse("a:label,*:text"), shorter);
  REQUIRE(placed.size() == 4);
  CHECK(placed[3].name == "4");
}

TEST_CASE("declared columns get their places, and the others what is left") {
  const auto placed = kTypes.place(kTypes.parse("*:text,text:time,text:hour,4:label"), kNames);
  REQUIRE(placed.size() == 6);
  CHECK((placed[0].index == 2 && placed[0].type == Type::time));
  CHECK((placed[1].index == 2 && placed[1].type == Type::hour));
  CHECK((placed[2].index == 3 && placed[2].name == "4" && placed[2].is_named));
  CHECK((placed[3].index == 0 && placed[3].name == "label" && !placed[3].is_named));
  CHECK((placed[5].index == 4 && placed[5].type == Type::text));
  CHECK(error_of([] { kTypes.place(kTypes.parse("text:text,3:label"), kNames); }) ==
        "2 column '3' is column 'text' again, expected each column once");
}

TEST_CASE("a stored type that no version knows is refused") {
  for (const ColumnTypeRow& row : kColumnRows)
    CHECK(kTypes.name(kTypes.by_name(row.name)) == row.name);
  CHECK(error_of([] { kTypes.by_name("tensor"); }) == "65 type of column 'tensor' is not known");
  CHECK(error_of([] { kTypes.by_name(""); }) == "65 type of column '' is not known");
}
