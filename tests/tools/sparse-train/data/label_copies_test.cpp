#include "tools/sparse-train/data/label_copies.h"

#include <doctest/doctest.h>

using namespace frugal;
using namespace frugal::sparse;

namespace {

std::vector<TableRow> rows(int count, int values) {
  std::vector<TableRow> rows;
  for (int i = 0; i < count; ++i) {
    rows.push_back({std::to_string(i % values), "name " + std::to_string(i % values)});
  }
  return rows;
}

}  // namespace

TEST_CASE("columns are copies if their values stand for each other one to one") {
  CHECK(are_copies(rows(20, 2), 0, 1));
  CHECK(are_copies(rows(20, 10), 1, 0));
  CHECK(!are_copies(rows(19, 2), 0, 1));
  CHECK(!are_copies(rows(20, 11), 0, 1));
  CHECK(!are_copies(rows(20, 1), 0, 1));
  CHECK(!are_copies(rows(20, 2), 0, 2));
  auto other_value = rows(40, 2), other_label = rows(40, 2), missing = rows(40, 2);
  other_value[7][0] = "3";
  other_label[7][1] = "name 3";
  missing[7][0] = "";
  CHECK(!are_copies(other_value, 0, 1));
  CHECK(!are_copies(other_label, 0, 1));
  CHECK(are_copies(missing, 0, 1));
}
