#include "tools/sparse-train/steps/epoch_batches.h"

#include <doctest/doctest.h>

#include "tests/tools/sparse-train/synthetic_data.h"

using namespace frugal::sparse;

TEST_CASE("an epoch has examples as often as their weights say") {
  Dataset data = synthetic_data(8, 10, 1);
  data.weights = Column<float>{0, 0, 0.5F, 0.5F, 1, 1, 1, 4};
  EpochBatches batches(data, 8, 1);
  std::vector<int> times(8);
  for (std::uint64_t epoch = 0; epoch < 100; ++epoch) {
    batches.shuffle(epoch);
    REQUIRE(batches.examples_of(epoch).size() == 8);
    for (const std::uint32_t e : batches.examples_of(epoch)) ++times[e];
  }
  CHECK(times[0] + times[1] == 0);
  CHECK(times[2] + times[3] == 100);
  CHECK(times[2] > 30);
  CHECK(times[4] == 100);
  CHECK(times[7] == 400);
}

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
