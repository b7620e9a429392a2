#include <bit>
#include <numeric>

#include "libcore/base/rng.h"
#include "tests/libcore/kernels/every_level.h"

using namespace frugal;

TEST_CASE("distances of codes are the numbers of bits that differ, on every level") {
  Rng rng(1);
  for (const std::size_t words : {1U, 2U, 5U, 16U, 31U}) {
    for (const std::size_t n : {0U, 1U, 7U, 64U, 65U, 200U}) {
      const std::size_t stride = n + 3;
      std::vector<std::uint64_t> bits(words * stride), query(words);
      for (std::uint64_t& word : bits) word = rng.next();
      for (std::uint64_t& word : query) word = rng.next();
      for (std::size_t w = 0; n > 0 && w < words; ++w) {
        bits[w * stride] = query[w];           // as near as can be
        bits[w * stride + n - 1] = ~query[w];  // and as far
      }
      on_every_level([&](const Kernels& k) {
        std::vector<std::uint16_t> out(n + 1, 777);
        k.bit_distances({bits.data(), stride, words, n}, query.data(), out.data());
        for (std::size_t i = 0; i < n; ++i) {
          int expected = 0;
          for (std::size_t w = 0; w < words; ++w) {
            expected += std::popcount(bits[w * stride + i] ^ query[w]);
          }
          CHECK(out[i] == expected);
        }
        CHECK(out[n] == 777);
      });
    }
  }
}

TEST_CASE("numbers up to a bound are selected in order, on every level") {
  Rng rng(2);
  for (const std::size_t n : {0U, 1U, 15U, 16U, 33U, 500U}) {
    std::vector<std::uint16_t> x(n);
    for (std::uint16_t& value : x) value = static_cast<std::uint16_t>(rng.below(65536));
    for (const unsigned bound : {0U, 1000U, 30000U, 65535U}) {
      std::vector<std::uint32_t> expected;
      for (std::size_t i = 0; i < n; ++i) {
        if (x[i] <= bound) expected.push_back(static_cast<std::uint32_t>(i));
      }
      on_every_level([&](const Kernels& k) {
        std::vector<std::uint32_t> out(n + 1, 777);
        const std::size_t count =
            k.select_at_most(x.data(), n, static_cast<std::uint16_t>(bound), out.data());
        CHECK(out[n] == 777);
        out.resize(count);
        CHECK(out == expected);
      });
    }
  }
}
