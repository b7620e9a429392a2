#include "libcore/tables/format_table.h"

#include <doctest/doctest.h>

#include <array>

#include "libcore/base/text.h"
#include "tests/support/text_file.h"

using namespace frugal;

namespace {

struct Row {
  std::string_view name, description;
  bool (*recognises)(const FormatSample&) = nullptr;
  std::span<const std::string_view> suffixes = {};
  bool distinctive = false;
};

constexpr std::array<std::string_view, 2> kSuffixes{".one", ".eins"};
constexpr std::array kRows{
    Row{"one", "begins with 1", [](const FormatSample& s) { return s.line.starts_with('1'); },
        kSuffixes, false},
    Row{"two",
        "ends with 2",
        [](const FormatSample& s) { return s.line.ends_with('2'); },
        {},
        true},
    Row{"named", "for those who ask", nullptr},
};
constexpr FormatTable<Row> kTable{kRows};

std::string_view detected(const char* name, const char* head) {
  return kTable.detect({name, head}).name;
}

}  // namespace

TEST_CASE("a distinctive format comes before the suffix, and this before the first line") {
  CHECK(detected("a.one", "12\n") == "two");
  CHECK(detected("a.one", "0\n") == "one");
  CHECK(detected("a.eins.zst", "0\n") == "one");
  CHECK(detected("a.one.gz", "0\n") == "one");
  CHECK(detected("stdin", "1\r\n2\n") == "one");
  CHECK(detected("stdin", "3 2\r\n") == "two");
}

TEST_CASE("a table gives choices, help and errors of all its rows") {
  CHECK(joined(kTable.choices()) == "auto, one, two, named");
  CHECK(
      kTable.help("the first line") ==
      "format of the input. auto: by the first line. one: begins with 1. two: ends with 2. named: "
      "for those who ask");
  CHECK(&kTable.by_name("named") == &kRows[2]);
  CHECK(kTable.find("three") == nullptr);
  CHECK(error_of([] { kTable.by_name("tow"); }) ==
        "2 format 'tow' is not known, expected auto, one, two, named; did you mean 'two'?");
  CHECK(error_of([] { detected("a.txt", "zero\n"); }) ==
        "65 a.txt:1: cannot tell the format from the name or the first line 'zero', expected "
        "--format with one of one, two");
}
