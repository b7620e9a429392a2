#include "tools/sparse-train/network/epoch_batches.h"

#include <doctest/doctest.h>

#include "tests/tools/sparse-train/synthetic_data.h"

using namespace frugal::sparse;

TEST_CASE("an epoch's batches have every example once, in an order of its own") {
  const Dataset data = synthetic_data(25, 10, 1);
  EpochBatches batches(data, 8, 1);
  REQUIRE(batches.per_epoch() == 4);
  std::vector<std::vector<std::uint32_t>> orders;
  for (const std::uint64_t epoch : {0, 1, 0}) {
    std::vector<std::uint32_t>& order = orders.emplace_back();
    batches.shuffle(4 * epoch + 2);
    for (std::uint64_t step = 4 * epoch; step < 4 * epoch + 4; ++step) {
      const auto examples = batches.examples_of(step);
      CHECK(examples.size() == (step % 4 == 3 ? 1 : 8));
      order.insert(order.end(), examples.begin(), examples.end());
    }
  }
  CHECK(orders[0] == orders[2]);
  CHECK(orders[0] != orders[1]);
  std::sort(orders[0].begin(), orders[0].end());
  for (std::uint32_t i = 0; i < 25; ++i) CHECK(orders[0][i] == i);
}
