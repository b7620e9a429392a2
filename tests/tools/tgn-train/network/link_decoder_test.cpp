#include "tools/tgn-train/network/link_decoder.h"

#include <doctest/doctest.h>

#include "tests/tools/tgn-train/network/variants.h"

using namespace frugal;
using namespace frugal::tgn;

namespace {

std::vector<float> drawn_numbers(std::size_t n, Rng& rng) {
  std::vector<float> numbers(n);
  for (float& x : numbers) x = static_cast<float>(rng.uniform(-1, 1));
  return numbers;
}

plain::Numbers plain_row(MatrixView<const float> rows, std::size_t r) {
  return plain::Numbers(rows.row(r), rows.row(r) + rows.cols);
}

}  // namespace

TEST_CASE("one source scores many destinations as the formulas do, however many") {
  const TgnOptions options = small_options();
  Rng rng(2);
  for (const std::size_t features : {0U, 5U}) {
    TgnModel model = make_model(options, {3, false, features});
    const plain::Network network(options, saved(model));
    for (const std::size_t n : {1U, 2U, 45U}) {
      const std::vector<float> rows = drawn_numbers((n + 1) * options.memory_dim, rng);
      const std::vector<float> pair_rows = drawn_numbers(n * features, rng);
      std::vector<float> logits(n);
      const MatrixView<const float> all(rows.data(), n + 1, options.memory_dim);
      const MatrixView<const float> pairs(pair_rows.data(), n, features);
      model.score(all.rows_between(0, 1), all.rows_between(1, n + 1), pairs, logits);
      for (std::size_t i = 0; i < n; ++i) {
        const double want =
            network.logit(plain_row(all, 0), plain_row(all, i + 1), plain_row(pairs, i)).value;
        CHECK(logits[i] == doctest::Approx(want).epsilon(1e-5));
      }
    }
  }
}

TEST_CASE("features of pairs that are all zero change no logit, and widen the first layer alone") {
  const TgnOptions options = small_options();
  TgnModel model = make_model(options, {3, false, 5});
  const Document document = saved(model);
  CHECK(document.at("affinity_score.fc1.weight").shape == Shape{6, 17});
  CHECK(model.num_parameters() == make_model(options, {3}).num_parameters() + 6 * 5);
  Rng rng(5);
  const std::vector<float> rows = drawn_numbers(3 * options.memory_dim, rng), zeros(2 * 5);
  const MatrixView<const float> all(rows.data(), 3, options.memory_dim);
  std::vector<float> logits(2);
  model.score(all.rows_between(0, 1), all.rows_between(1, 3), {zeros.data(), 2, 5}, logits);
  // The weights of the first twelve inputs alone.
  plain::Tensors tensors = plain::tensors_of(document);
  std::vector<double>& weights = tensors.at("affinity_score.fc1.weight");
  for (std::size_t row = 6; row-- > 0;) {
    const auto begin = weights.begin() + static_cast<std::ptrdiff_t>(17 * row + 12);
    weights.erase(begin, begin + 5);
  }
  const plain::Network narrow(options, tensors);
  for (const std::size_t i : {0U, 1U}) {
    const double want = narrow.logit(plain_row(all, 0), plain_row(all, i + 1)).value;
    CHECK(logits[i] == doctest::Approx(want).epsilon(1e-5));
  }
}
