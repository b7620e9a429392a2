#include "libcore/parallel/communicator.h"

#include <doctest/doctest.h>

#include <array>

using namespace frugal;

TEST_CASE("alone, every sum is its own") {
  const auto alone = single_process();
  CHECK(alone->rank() == 0);
  CHECK(alone->size() == 1);
  std::array<float, 2> values{1, 2};
  alone->all_reduce_sum(values);
  CHECK(values == std::array<float, 2>{1, 2});
  TouchedRows rows{2, {3, 9}, {1, 2, 3, 4}};
  alone->all_reduce_sum(rows);
  CHECK(rows.rows == std::vector<std::uint32_t>{3, 9});
  CHECK(rows.values == std::vector<float>{1, 2, 3, 4});
  std::array<std::byte, 1> bytes{std::byte{7}};
  alone->broadcast(bytes, 0);
  CHECK(bytes[0] == std::byte{7});
  alone->barrier();
}
