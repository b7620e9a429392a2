#include "tools/robe-compress/search/blended_model.h"

#include <doctest/doctest.h>

#include <vector>

#include "libcore/embedding/full_embedding.h"
#include "tests/tools/robe-compress/made_samples.h"
#include "tools/robe-compress/network/architecture.h"

using namespace frugal;
using namespace frugal::robe;

namespace {

std::vector<float> logits_of(const TrialModel& model, const ClickBatch& batch) {
  ClickPredictor predictor(*model.embedding, *model.network);
  const std::span<const float> logits = predictor.logits(batch);
  return {logits.begin(), logits.end()};
}

/// A model of random numbers for samples of MadeBatches.
TrialModel random_model(const NetworkOptions& options, std::size_t numbers, std::size_t dim) {
  auto embedding =
      std::make_unique<FullEmbedding>(TableSet({{"a", 300}, {"b", 20}, {"c", 5}}, dim));
  embedding->array().fill_uniform(0, 325 * dim, 0.5, dim);
  auto network = make_network(options, {numbers, kFields, dim}, 7);
  for (const Network::NamedLayer& layer : network->layers()) layer.layer->randomize(9, dim);
  return {std::move(embedding), std::move(network)};
}

}  // namespace

TEST_CASE("a blend's logits are the means of both models'") {
  for (const std::size_t numbers : {std::size_t{0}, kNumbers}) {
    for (const std::vector<std::size_t>& top : {std::vector<std::size_t>{12, 6}, {}}) {
      CAPTURE(numbers);
      CAPTURE(top.size());
      ClickBatch batch;
      MadeBatches(50).next(batch, 50);
      batch.num_numbers = numbers;
      batch.numbers.resize(50 * numbers);
      NetworkOptions options;
      options.bottom = {8};
      options.top = top;
      const TrialModel dlrm = random_model(options, numbers, 4);
      NetworkOptions of_linear;
      of_linear.architecture = "linear";
      const TrialModel linear = random_model(of_linear, numbers, 1);
      const TrialModel both = blend(dlrm, linear, options);
      CHECK(both.network->architecture() == "wide-dlrm");
      CHECK(both.embedding->tables().dim() == 5);
      const std::vector<float> a = logits_of(dlrm, batch), b = logits_of(linear, batch);
      const std::vector<float> mean = logits_of(both, batch);
      for (std::size_t i = 0; i < 50; ++i) {
        CHECK(static_cast<double>(mean[i]) ==
              doctest::Approx((static_cast<double>(a[i]) + static_cast<double>(b[i])) / 2)
                  .epsilon(1e-4));
      }
    }
  }
}
