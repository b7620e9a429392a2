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

/// A plan of pairs with these features, [pairs, features].
StepPlan plan_of_pairs(std::size_t others, std::size_t features, std::vector<float> pairs) {
  StepPlan plan;
  plan.others = others;
  plan.pair_dim = features;
  plan.pairs = std::move(pairs);
  return plan;
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
      const StepPlan plan = plan_of_pairs(n - 1, features, drawn_numbers(n * features, rng));
      const MatrixView<const float> all(rows.data(), n + 1, options.memory_dim);
      const MatrixView<const float> logits = model.score(plan, all);
      REQUIRE(logits.cols == n);
      for (std::size_t i = 0; i < n; ++i) {
        const plain::Numbers pair =
            features == 0 ? plain::Numbers() : plain_row(plan.pair_rows(), i);
        const double want = network.logit(plain_row(all, 0), plain_row(all, i + 1), pair).value;
        CHECK(logits(0, i) == doctest::Approx(want).epsilon(1e-5));
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
  const MatrixView<const float> logits = model.score(plan_of_pairs(1, 5, zeros), all);
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
    CHECK(logits(0, i) == doctest::Approx(want).epsilon(1e-5));
  }
}

TEST_CASE("pairs that share rows of embeddings have the logits of pairs with their own") {
  const TgnOptions options = small_options();
  constexpr std::size_t kEvents = 70, kOthers = 9, kRows = 13, kFeatures = 3;
  Rng rng(7);
  TgnModel model = make_model(options, {3, false, kFeatures});
  const std::vector<float> rows = drawn_numbers(kRows * options.memory_dim, rng);
  const MatrixView<const float> shared(rows.data(), kRows, options.memory_dim);
  StepPlan plan =
      plan_of_pairs(kOthers, kFeatures, drawn_numbers(kEvents * (1 + kOthers) * kFeatures, rng));
  std::vector<float> own;
  for (std::size_t q = 0; q < kEvents * (2 + kOthers); ++q) {
    plan.shared_rows.push_back(static_cast<std::uint32_t>(rng.below(kRows)));
    const float* const row = shared.row(plan.shared_rows.back());
    own.insert(own.end(), row, row + options.memory_dim);
  }
  const MatrixView<const float> logits = model.score(plan, shared);
  const std::vector<float> got(logits.data, logits.data + logits.rows * logits.cols);
  REQUIRE(got.size() == kEvents * (1 + kOthers));
  plan.shared_rows.clear();
  const MatrixView<const float> want =
      model.score(plan, {own.data(), kEvents * (2 + kOthers), options.memory_dim});
  for (std::size_t p = 0; p < got.size(); ++p) CHECK(got[p] == want.data[p]);
}
