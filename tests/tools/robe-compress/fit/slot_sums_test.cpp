#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

#include "libcore/base/rng.h"
#include "tools/robe-compress/fit/fit_candidate.h"

using namespace frugal;
using namespace frugal::robe;

namespace {

struct Added {
  std::uint64_t slot = 0;
  double weight = 0;
  std::vector<float> numbers;
};

std::vector<Added> random_blocks(std::uint64_t slots, std::size_t length, bool some_shorter) {
  std::vector<Added> blocks;
  Rng rng(length);
  for (int i = 0; i < 500; ++i) {
    Added block;
    block.numbers.resize(some_shorter ? 1 + rng.below(length) : length);
    block.slot = rng.below(slots - block.numbers.size() + 1);
    block.weight = rng.uniform(0, 3);
    for (float& x : block.numbers) x = static_cast<float>(rng.uniform(-1, 1));
    blocks.push_back(std::move(block));
  }
  return blocks;
}

}  // namespace

TEST_CASE("slots get the weighted means of what lies in them, in whole and in parts") {
  constexpr std::uint64_t kSlots = 300;
  for (const std::size_t length : {1, 2, 7, 16, 100}) {
    for (const bool some_shorter : {false, true}) {
      const auto blocks = random_blocks(kSlots, length, some_shorter);
      std::vector<double> sums(kSlots), weights(kSlots);
      for (const Added& block : blocks) {
        for (std::size_t i = 0; i < block.numbers.size(); ++i) {
          sums[block.slot + i] += block.weight * block.numbers[i];
          weights[block.slot + i] += block.weight;
        }
      }
      std::vector<std::vector<float>> found;
      double explained = 0;
      for (const std::uint64_t step : {std::uint64_t{300}, std::uint64_t{37}, std::uint64_t{1}}) {
        std::vector<float> values(kSlots);
        explained = 0;
        for (std::uint64_t begin = 0; begin < kSlots; begin += step) {
          SlotSums part(begin, std::min(kSlots, begin + step), {length, some_shorter});
          for (const Added& block : blocks) {
            part.prefetch(block.slot);
            part.add(block.slot, block.weight, block.numbers.data(), block.numbers.size());
          }
          explained += part.solve(values.data() + begin);
        }
        found.push_back(std::move(values));
      }
      CHECK(found[0] == found[1]);
      CHECK(found[0] == found[2]);
      double expected = 0;
      for (std::uint64_t s = 0; s < kSlots; ++s) {
        const double mean = weights[s] > 0 ? sums[s] / weights[s] : 0;
        REQUIRE(found[0][s] == doctest::Approx(mean).epsilon(1e-6));
        expected += mean * sums[s];
      }
      CHECK(explained == doctest::Approx(expected).epsilon(1e-12));
    }
  }
}
