#include <algorithm>

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
