#include "libcore/tables/header_guess.h"

#include <doctest/doctest.h>

#include <cstddef>
#include <string>
#include <vector>

#include "libcore/base/error.h"
#include "tests/support/text_file.h"

using namespace frugal;

namespace {

/// A header and rows whose values recur, as `row` makes them.
template <class Row>
std::vector<TableRow> table(TableRow header, const Row& row, int size = 30) {
  std::vector<TableRow> rows{std::move(header)};
  for (int i = 0; i < size; ++i) rows.push_back(row(i));
  return rows;
}

std::string node(int i) { return "n" + std::to_string(i); }

}  // namespace

TEST_CASE("a name of a column may be a value of another, unless both hold the same nodes") {
  const auto typed = table({"source", "target", "kind"}, [](int i) {
    return TableRow{node(i % 7), node(i % 5), i % 2 == 0 ? "source" : "target"};
  });
  CHECK(guess_header(typed).is_header);
  const auto edges = table({"user1", "user2"}, [](int i) {
    return TableRow{"user" + std::to_string(i % 5 + 2), "user" + std::to_string(i % 3 + 1)};
  });
  CHECK(!guess_header(edges).is_header);
}

TEST_CASE("a header that a second file repeats is one still, a repeated edge is none") {
  auto rows = table({"from", "to"}, [](int i) { return TableRow{node(i % 7), node(i % 5)}; });
  rows.push_back(rows.front());
  CHECK(guess_header(rows).is_header);
  CHECK(!guess_header(std::vector<TableRow>{{"user5", "x"}, {"y", "z"}, {"user5", "x"}}).is_header);
}

TEST_CASE("a first row stands apart if it alone has values that do not recur") {
  const auto team = [](int i) {
    return TableRow{node(i % 4), node(i % 3), i % 2 == 0 ? "home" : "away"};
  };
  CHECK(stands_apart(table({"home", "away", "result"}, team)));
  CHECK(!stands_apart(table({"n9", "n8", "home"}, team)));
  CHECK(!stands_apart(table({"home", "away", "result"}, team, 8)));
  // Names may be missing, as behind the last column of a spreadsheet.
  const auto message = [](int i) { return TableRow{i % 3 == 0 ? "spam" : "ham", node(i), ""}; };
  CHECK(stands_apart(table({"v1", "v2", ""}, message)));
  CHECK(!stands_apart(table({"ham", "v2", ""}, message)));
}

TEST_CASE("0, 1, 2 ... after an empty name are a header above an index of rows") {
  const auto indexed = [](TableRow header) {
    return table(std::move(header), [](int i) {
      return TableRow{std::to_string(29 - i), "0.5", i % 2 ? "1" : "0"};
    });
  };
  CHECK(guess_header(indexed({"", "0", "1"})).is_header);
  CHECK(guess_header(indexed({"", "0", "1"})).is_sure);
  CHECK(!guess_header(indexed({"", "1", "2"})).is_header);
  CHECK(!guess_header(indexed({"", "0", "0"})).is_header);
  CHECK(!guess_header(indexed({"4", "0", "1"})).is_header);
  // A first number may be missing.
  const auto measured = table({"", "0", "1"}, [](int i) {
    return TableRow{std::to_string(i) + ".5", i % 3 ? "0" : "1", i % 2 ? "1" : "0"};
  });
  CHECK(!guess_header(measured).is_header);
  const auto pairs = [](int step) {
    return table({"", "0"}, [=](int i) {
      return TableRow{std::to_string(i * step % 31), i % 2 ? "1" : "0"};
    });
  };
  CHECK(guess_header(pairs(1)).is_header);
  CHECK(!guess_header(pairs(7)).is_header);
}

TEST_CASE("rows with one field more than names are refused as R writes them") {
  const auto refused = [](const TableRow& header, const TableRow& row, std::size_t rows) {
    std::vector<TableRow> all = {header};
    for (std::size_t r = 0; r < rows; ++r) {
      all.push_back(row);
      if (row.front() == "1") all.back().front() = std::to_string(r + 1);
    }
    return error_of([&] { refuse_missing_name(all, "f"); });
  };
  CHECK(refused({"label", "text"}, {"1", "a", "b"}, 2) ==
        "65 f:1: has 2 names, but each row has 3 fields: R writes names of rows so; "
        "write.table(..., row.names = FALSE, qmethod = \"double\") leaves them out");
  CHECK(refused({"label", "text"}, {"1", "a", "b"}, 1) == "no error");
  // A comma at the end of each row, and one in each text.
  CHECK(refused({"label", "text"}, {"1", "b", ""}, 2) == "no error");
  CHECK(refused({"label", "text"}, {"a", "b", "c"}, 2) == "no error");
  CHECK(refused({"label", "text"}, {"a", "b"}, 2) == "no error");
  CHECK(refused({"text"}, {"a", "b"}, 2) == "no error");
}
