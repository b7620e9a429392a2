#include "tools/sparse-train/data/label_lists.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

#include "libcore/base/error.h"
#include "libcore/streams/json_text.h"

using namespace frugal;
using namespace frugal::sparse;

namespace {

/// Rows of one column; blanks stand for the separator of lists.
std::vector<TableRow> lists(std::vector<std::string> fields) {
  std::vector<TableRow> rows;
  for (std::string& field : fields) {
    std::replace(field.begin(), field.end(), ' ', kJsonListSeparator);
    rows.push_back({field});
  }
  return rows;
}

void check(const std::vector<TableRow>& rows) { refuse_indicators(rows, 0, "f", "column 'c'"); }

}  // namespace

TEST_CASE("lists that have a 0 or 1 for each label are no lists of labels") {
  CHECK(has_lists(lists({"a", "a b"}), 0));
  CHECK(!has_lists(lists({"a", "b"}), 0));
  CHECK_THROWS_AS(check(lists({"1.0 0.0 0.0", "", "0.0 1.0 1.0"})), Error);
  CHECK_THROWS_AS(check(lists({"true false", "false false"})), Error);
  check(lists({"0 1", "1 0", "1"}));
  check(lists({"0 1", "1 0"}));
  check(lists({"1 0 0", "0 1"}));
  check(lists({"1 0 2", "2 2 0"}));
  check(lists({"a b", "b a"}));
}
