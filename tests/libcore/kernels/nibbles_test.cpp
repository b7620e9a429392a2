#include <algorithm>

#include "libcore/base/float16.h"
#include "tests/libcore/kernels/every_level.h"

using namespace frugal;

TEST_CASE("score_nibbles agrees with plain sums, up to the largest values") {
  on_every_level([](const Kernels& k) {
    for (const std::size_t depth : {8, 24, 128, 304}) {
      for (const std::size_t n : {16, 48}) {
        for (const int extreme : {-1, 0, 1}) {
          Rng rng(depth + n);
          std::vector<std::uint8_t> panels(n * depth / 2);
          std::vector<std::int8_t> x(depth);
          for (std::uint8_t& b : panels)
            b = static_cast<std::uint8_t>(extreme != 0 ? 255 : rng.below(256));
          for (std::int8_t& b : x)
            b = static_cast<std::int8_t>(extreme != 0 ? extreme * 127
                                                      : static_cast<int>(rng.below(255)) - 127);
          const Floats scale = Floats::random(n, 1), bias = Floats::random(n, 3);
          const Floats error = Floats::random(n, 4);
          Floats scores(n), highest(n / kNibbleRows);
          NibbleScores call;
          call.panels = panels.data();
          call.num_rows = n;
          call.depth = depth;
          call.x = x.data();
          call.offset = -1234;
          call.x_scale = 0.25F;
          call.slack = 0.5F;
          call.shift = -2;
          call.half_variance = 3;
          call.scale = scale.data();
          call.bias = bias.data();
          call.error = error.data();
          call.scores = scores.data();
          call.highest = highest.data();
          k.score_nibbles(call);
          for (std::size_t panel = 0; panel < n / kNibbleRows; ++panel) {
            double bound = -INFINITY, largest = 0;
            for (std::size_t r = panel * kNibbleRows; r < (panel + 1) * kNibbleRows; ++r) {
              int sum = -1234;
              for (std::size_t p = 0; p < depth; ++p) {
                const int byte = panels[(panel * depth + p / 8 * 8) * kNibbleRows / 2 +
                                        r % kNibbleRows * 4 + p % 4];
                sum += x[p] * (p % 8 < 4 ? byte & 15 : byte >> 4);
              }
              const double product = 0.25 * scale[r] * sum;
              CHECK(close(scores[r], product + bias[r] - 2.0 * error[r] - 3.0 * error[r] * error[r],
                          std::abs(product) + 7));
              bound = std::max(bound, product + bias[r] + 0.5 * error[r]);
              largest = std::max(largest, std::abs(product));
            }
            CHECK(close(highest[panel], bound, largest + 3));
          }
        }
      }
    }
  });
}

TEST_CASE("gather_bytes and gather_nibbles have the bits of level times scale, wherever rows lie") {
  constexpr std::size_t kSize = 1001;
  Rng rng(3);
  std::vector<std::int8_t> bytes(kSize);
  std::vector<std::uint8_t> nibbles((kSize + 1) / 2);
  for (std::int8_t& b : bytes) b = static_cast<std::int8_t>(static_cast<int>(rng.below(255)) - 127);
  for (std::uint8_t& b : nibbles) b = static_cast<std::uint8_t>(rng.below(256));
  std::vector<float> scales(kSize / 32 + 1);
  std::vector<BFloat16> halves(scales.size());
  for (std::size_t g = 0; g < scales.size(); ++g) {
    scales[g] = static_cast<float>(rng.uniform(0, 1));
    halves[g] = to_bfloat16(static_cast<float>(rng.uniform(0, 1)));
  }
  const auto of_byte = [&](std::size_t s) { return scales[s / 64] * static_cast<float>(bytes[s]); };
  const auto of_nibble = [&](std::size_t s) {
    const int code = s % 2 == 0 ? nibbles[s / 2] & 15 : nibbles[s / 2] >> 4;
    return to_float(halves[s / 32]) * static_cast<float>(code - 8);
  };
  on_every_level([&](const Kernels& k) {
    for (const std::size_t length : {1, 3, 4, 8, 15, 16, 17, 32, 40, 100}) {
      for (const std::size_t unit : {std::size_t{1}, length}) {
        const std::size_t last = (kSize - length) / unit;
        std::vector<std::uint32_t> places{0, static_cast<std::uint32_t>(last)};
        for (int i = 0; i < 30; ++i) {
          places.push_back(static_cast<std::uint32_t>(rng.below(last + 1)));
        }
        Floats out(places.size() * length);
        LevelRows rows{.places = places.data(),
                       .n = places.size(),
                       .unit = unit,
                       .length = length,
                       .out = out.data()};
        const auto check = [&](const auto& number) {
          for (std::size_t i = 0; i < places.size() * length; ++i) {
            REQUIRE(out[i] == number(places[i / length] * unit + i % length));
          }
        };
        rows.levels = bytes.data();
        rows.scales = scales.data();
        rows.group_bits = 6;
        k.gather_bytes(rows);
        check(of_byte);
        rows.levels = nibbles.data();
        rows.scales = halves.data();
        rows.group_bits = 5;
        k.gather_nibbles(rows);
        check(of_nibble);
        rows.first = 7;
        rows.n = 1;
        k.gather_nibbles(rows);
        for (std::size_t i = 0; i < length; ++i) REQUIRE(out[i] == of_nibble(7 + i));
      }
    }
  });
}
