#include "tests/libcore/kernels/every_level.h"

using namespace frugal;

TEST_CASE("score_bytes agrees with plain sums, up to the largest bytes") {
  on_every_level([](const Kernels& k) {
    for (const std::size_t depth : {4, 12, 128, 300}) {
      for (const std::size_t n : {16, 48}) {
        for (const bool extreme : {false, true}) {
          Rng rng(depth + n);
          std::vector<std::int8_t> panels(n * depth), x(depth);
          for (std::int8_t& b : panels) {
            b = static_cast<std::int8_t>(extreme ? -127 : static_cast<int>(rng.below(255)) - 127);
          }
          for (std::int8_t& b : x) b = static_cast<std::int8_t>(extreme ? 127 : rng.below(128));
          const Floats scale = Floats::random(n, 1), total = Floats::random(n, 2);
          const Floats bias = Floats::random(n, 3), error = Floats::random(n, 4);
          const Floats length = Floats::random(n, 5);
          Floats scores(n), highest(n);
          ByteScores call;
          call.panels = panels.data();
          call.num_rows = n;
          call.depth = depth;
          call.x = x.data();
          call.x_scale = 0.25F;
          call.x_offset = -2;
          call.row_error = 0.5F;
          call.x_error = 0.125F;
          call.scale = scale.data();
          call.total = total.data();
          call.bias = bias.data();
          call.error = error.data();
          call.length = length.data();
          call.scores = scores.data();
          call.highest = highest.data();
          k.score_bytes(call);
          for (std::size_t r = 0; r < n; ++r) {
            int sum = 0;
            for (std::size_t p = 0; p < depth; ++p) {
              sum += x[p] * panels[r / kByteRows * kByteRows * depth + p / 4 * 4 * kByteRows +
                                   r % kByteRows * 4 + p % 4];
            }
            const double product = 0.25 * scale[r] * sum;
            const double score = product - 2.0 * total[r] + bias[r];
            const double magnitude = std::abs(product) + 4;
            CHECK(close(scores[r], score, magnitude));
            CHECK(close(highest[r], score + 0.5 * error[r] + 0.125 * length[r], magnitude));
          }
        }
      }
    }
  });
}
