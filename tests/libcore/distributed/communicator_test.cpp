#include "libcore/distributed/communicator.h"

#include <doctest/doctest.h>

using namespace frugal;

TEST_CASE("with one process every collective leaves its data as it is") {
  auto single = make_single_process();
  CHECK(single->rank() == 0);
  CHECK(single->size() == 1);
  std::vector<float> values{1, 2, 3};
  single->all_reduce_sum(values);
  CHECK(values == std::vector<float>{1, 2, 3});
  RowGradients gradients{2, {4, 9}, {1, 2, 3, 4}};
  single->all_reduce_rows(gradients);
  CHECK(gradients.rows == std::vector<std::uint32_t>{4, 9});
  CHECK(gradients.values == std::vector<float>{1, 2, 3, 4});
  std::vector<std::byte> bytes{std::byte{7}};
  single->broadcast(bytes, 0);
  CHECK(bytes[0] == std::byte{7});
  single->barrier();
}

TEST_CASE("shard ranges cover all items once and differ by one at most") {
  for (std::size_t n : {0, 1, 5, 16, 1001}) {
    for (int size : {1, 2, 3, 7, 20}) {
      std::size_t next = 0;
      for (int rank = 0; rank < size; ++rank) {
        const auto [begin, end] = shard_range(n, rank, size);
        CHECK(begin == next);
        CHECK(end - begin <= n / static_cast<std::size_t>(size) + 1);
        next = end;
      }
      CHECK(next == n);
    }
  }
}
