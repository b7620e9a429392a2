#include "libcore/distributed/communicator.h"

#include <doctest/doctest.h>

#include <array>
#include <map>

#include "libcore/base/rng.h"

using namespace frugal;

TEST_CASE("alone, every sum is its own") {
  const auto alone = single_process();
  CHECK(alone->rank() == 0);
  CHECK(alone->size() == 1);
  std::array<float, 2> values{1, 2};
  alone->all_reduce_sum(values);
  CHECK(values == std::array<float, 2>{1, 2});
  SparseRows rows{2, {3, 9}, {1, 2, 3, 4}};
  alone->all_reduce_sum(rows);
  CHECK(rows.rows == std::vector<std::uint32_t>{3, 9});
  CHECK(rows.values == std::vector<float>{1, 2, 3, 4});
  std::array<std::byte, 1> bytes{std::byte{7}};
  alone->broadcast(bytes, 0);
  CHECK(bytes[0] == std::byte{7});
  alone->barrier();
}

TEST_CASE("rows of several ranks are merged by id and added") {
  const std::array<SparseRows, 3> parts{SparseRows{2, {1, 4}, {1, 2, 3, 4}}, SparseRows{2, {}, {}},
                                        SparseRows{2, {0, 4}, {5, 6, 7, 8}}};
  const SparseRows sum = merge_rows(parts);
  CHECK(sum.rows == std::vector<std::uint32_t>{0, 1, 4});
  CHECK(sum.values == std::vector<float>{5, 6, 1, 2, 10, 12});
  CHECK(merge_rows({}).rows.empty());
}

TEST_CASE("merging agrees with a map of sums") {
  Rng rng(7);
  std::vector<SparseRows> parts(5);
  std::map<std::uint32_t, float> expected;
  for (SparseRows& part : parts) {
    part.dim = 1;
    for (std::uint32_t row = 0; row < 200; ++row) {
      if (rng.below(3) != 0) continue;
      const auto value = static_cast<float>(rng.below(100));
      part.rows.push_back(row);
      part.values.push_back(value);
      expected[row] += value;
    }
  }
  const SparseRows sum = merge_rows(parts);
  REQUIRE(sum.rows.size() == expected.size());
  std::size_t j = 0;
  for (const auto& [row, value] : expected) {
    CHECK(sum.rows[j] == row);
    CHECK(sum.values[j] == value);
    ++j;
  }
}
