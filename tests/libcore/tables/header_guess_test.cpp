#include "libcore/tables/header_guess.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

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
