#include "tools/sparse-train/lsh/hash_tables.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "tests/support/text_file.h"

using namespace frugal;
using namespace frugal::sparse;

namespace {

using Rows = std::vector<std::uint32_t>;

Rows bucket(const HashTables& tables, std::uint32_t t, std::uint32_t code) {
  const auto rows = tables.bucket(t, code);
  return {rows.begin(), rows.end()};
}

}  // namespace

TEST_CASE("a bucket holds the rows of its code in the order in which they came") {
  HashTables tables({2, 3, 8, BucketPolicy::fifo, 1});
  CHECK(bucket(tables, 0, 5).empty());
  tables.build(0, Rows{5, 1, 5, 0}, Rows{2, 0, 1, 3});
  CHECK(bucket(tables, 0, 5) == Rows{2, 0});
  CHECK(bucket(tables, 0, 1) == Rows{1});
  CHECK(bucket(tables, 0, 7).empty());
  CHECK(bucket(tables, 1, 5).empty());
  tables.build(0, Rows{7, 7, 7, 7}, Rows{3});  // rows that are not in the order are not in
  CHECK(bucket(tables, 0, 5).empty());
  CHECK(bucket(tables, 0, 7) == Rows{3});
}

TEST_CASE("a full fifo bucket keeps the rows that came last") {
  HashTables tables({1, 1, 3, BucketPolicy::fifo, 1});
  tables.build(0, Rows{0, 0, 1, 0, 0, 0}, Rows{0, 1, 2, 3, 4, 5});
  CHECK(bucket(tables, 0, 0) == Rows{3, 4, 5});
  tables.insert({{0, 0, 2}, {0, 1, 0}, {0, 0, 4}});
  CHECK(bucket(tables, 0, 0) == Rows{4, 5, 2});
  CHECK(bucket(tables, 0, 1) == Rows{2, 0});
}

TEST_CASE("a full reservoir keeps every row with the same probability") {
  constexpr std::uint32_t kRows = 20, kTables = 4000, kSize = 5;
  HashTables tables({kTables, 1, kSize, BucketPolicy::reservoir, 1});
  Rows order(kRows);
  std::iota(order.begin(), order.end(), 0U);
  std::vector<double> kept(kRows);
  for (std::uint32_t t = 0; t < kTables; ++t) {
    tables.build(t, Rows(kRows), order);
    Rows rows = bucket(tables, t, 0);
    CHECK(rows.size() == kSize);
    std::sort(rows.begin(), rows.end());
    CHECK(std::unique(rows.begin(), rows.end()) == rows.end());
    for (const std::uint32_t r : rows) kept[r] += 1.0 / kTables;
  }
  const double share = double{kSize} / kRows;
  for (const double k : kept) {
    CHECK(std::abs(k - share) < 4.5 * std::sqrt(share * (1 - share) / kTables));
  }
}

TEST_CASE("rows are inserted once, whatever the order of the requests") {
  for (const BucketPolicy policy : {BucketPolicy::fifo, BucketPolicy::reservoir}) {
    HashTables a({3, 2, 2, policy, 1}), b({3, 2, 2, policy, 1});
    for (HashTables* tables : {&a, &b}) tables->build(1, Rows{0, 3, 3, 3}, Rows{0, 1, 2, 3});
    a.insert({{1, 3, 0}, {2, 1, 9}, {1, 0, 4}, {2, 1, 9}});
    b.insert({{2, 1, 9}, {1, 0, 4}, {1, 3, 0}});
    for (std::uint32_t t = 0; t < 3; ++t) {
      for (std::uint32_t code = 0; code < 4; ++code) {
        CHECK(bucket(a, t, code) == bucket(b, t, code));
        CHECK(bucket(a, t, code).size() <= 2);
      }
    }
    CHECK(bucket(a, 2, 1) == Rows{9});
    CHECK(bucket(a, 1, 0) == Rows{0, 4});
  }
}

TEST_CASE("stored tables come back, damaged ones do not") {
  HashTables tables({1, 2, 2, BucketPolicy::fifo, 1});
  HashTables copy = tables;
  tables.build(0, Rows{0, 3, 3}, Rows{0, 1, 2});
  const Rows starts(tables.starts(0).begin(), tables.starts(0).end());
  const Rows rows(tables.rows(0).begin(), tables.rows(0).end());
  REQUIRE(copy.restore(0, starts, rows, 3));
  CHECK(bucket(copy, 0, 3) == Rows{1, 2});
  CHECK_FALSE(copy.restore(0, starts, rows, 2));
  CHECK_FALSE(copy.restore(0, Rows{0, 1, 1, 1}, rows, 3));
  CHECK_FALSE(copy.restore(0, Rows{0, 2, 1, 1, 3}, rows, 3));
  CHECK_FALSE(copy.restore(0, Rows{0, 1, 1, 1, 4}, rows, 3));
  CHECK_FALSE(copy.restore(0, Rows{}, rows, 3));
}

TEST_CASE("unknown bucket policies are refused") {
  CHECK(bucket_policy_from_name("reservoir") == BucketPolicy::reservoir);
  CHECK(error_of([] { bucket_policy_from_name("lifo"); }) ==
        "2 unknown bucket policy 'lifo', expected fifo or reservoir");
}
