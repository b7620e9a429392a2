#include "tools/tgn-train/network/link_decoder.h"

#include <doctest/doctest.h>

#include "tests/tools/tgn-train/network/variants.h"

using namespace frugal;

TEST_CASE("one source scores many destinations as the formulas do, however many") {
  const TgnOptions options = small_options();
  TgnModel model = make_model(options, {3});
  const plain::Network network(options, saved(model));
  Rng rng(2);
  for (const std::size_t n : {1U, 2U, 45U}) {
    std::vector<float> rows((n + 1) * options.memory_dim), logits(n);
    for (float& x : rows) x = static_cast<float>(rng.uniform(-1, 1));
    const MatrixView<const float> all(rows.data(), n + 1, options.memory_dim);
    const auto plain_row = [&](std::size_t r) {
      return plain::Numbers(all.row(r), all.row(r) + all.cols);
    };
    model.decoder().score(all.rows_between(0, 1), all.rows_between(1, n + 1), logits);
    for (std::size_t i = 0; i < n; ++i) {
      const double want = network.logit(plain_row(0), plain_row(i + 1)).value;
      CHECK(logits[i] == doctest::Approx(want).epsilon(1e-5));
    }
  }
}
