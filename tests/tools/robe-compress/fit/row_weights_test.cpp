#include "tools/robe-compress/fit/row_weights.h"

#include <algorithm>
#include <numeric>

#include "tests/tools/robe-compress/fit/fit_samples.h"

using namespace frugal;
using namespace frugal::robe;
using namespace fit_samples;

TEST_CASE("the heaviest rows are those that sorting finds, the first of equal ones") {
  const TableSet tables({{"a", 700}, {"b", 300}}, 4);
  Rng rng(5);
  Array<float> counts(1000);
  for (float& count : counts) {
    count = rng.below(4) == 0 ? 0 : static_cast<float>(rng.below(30)) * 0.37F;
  }
  std::vector<std::uint64_t> order(1000);
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint64_t a, std::uint64_t b) { return counts[a] > counts[b]; });
  const RowWeights weights(counts.clone(), tables, "counts");
  for (const std::uint64_t n : {0, 1, 2, 100, 555, 1000}) {
    std::vector<std::uint64_t> expected(order.begin(), order.begin() + n);
    std::erase_if(expected, [&](std::uint64_t row) { return counts[row] == 0; });
    std::sort(expected.begin(), expected.end());
    CHECK(weights.heaviest(n) == expected);
  }
  CHECK(!weights.descend());
  CHECK(weights.smallest() == 0.37F);
}

TEST_CASE("rows that descend in weight are noticed, whatever row 0 counts") {
  const TableSet tables({{"a", 3}, {"b", 3}}, 4);
  const std::vector<float> down = {5, 5, 1, 0, 9, 0}, up = {5, 5, 1, 9, 0, 9};
  CHECK(RowWeights(Array<float>::copy_of(down), tables, "").descend());
  CHECK(!RowWeights(Array<float>::copy_of(up), tables, "").descend());
  CHECK(!RowWeights().descend());
}
