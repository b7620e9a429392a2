#include "tools/sparse-train/outputs/active_set.h"

#include <doctest/doctest.h>

#include <cmath>
#include <numeric>
#include <set>

#include "tests/tools/sparse-train/synthetic_data.h"

using namespace frugal;
using namespace frugal::sparse;

TEST_CASE("an active set holds every label of the batch once, and says where") {
  const Dataset data = synthetic_data(100, 50, 3);
  SharedActiveSet builder(data, 10, 1);
  ActiveSet set;
  const std::vector<std::uint32_t> batch = {4, 17, 4, 99};
  for (std::uint64_t b = 0; b < 3; ++b) {  // the builder leaves no traces
    builder.build(b, batch, set);
    CHECK(std::set(set.labels.begin(), set.labels.end()).size() == set.labels.size());
    CHECK(set.log_inclusion.size() == set.labels.size());
    CHECK(set.labels.size() <= 19);
    for (std::size_t k = 0; k < batch.size(); ++k) {
      const auto own = data.labels_of(batch[k]);
      REQUIRE(set.targets.of(k).size() == own.size());
      for (std::size_t j = 0; j < own.size(); ++j)
        CHECK(set.labels[set.targets.of(k)[j]] == own[j]);
    }
  }
}

TEST_CASE("an active set depends on seed and batch alone") {
  const Dataset data = synthetic_data(100, 1000, 1);
  const auto labels = [&](std::uint64_t seed, std::uint64_t batch) {
    ActiveSet set;
    const std::vector<std::uint32_t> examples = {1, 2};
    SharedActiveSet(data, 30, seed).build(batch, examples, set);
    return set.labels;
  };
  CHECK(labels(1, 1) == labels(1, 1));
  CHECK(labels(1, 1) != labels(1, 2));
  CHECK(labels(1, 1) != labels(2, 1));
}

TEST_CASE("labels are active as often as the correction says") {
  const std::uint32_t num_labels = 40, drawn = 6;
  const std::size_t batch_size = 5, batches = 4000;
  Dataset data = synthetic_data(2000, num_labels, 1);
  for (std::size_t i = 0; i < data.labels.size(); i += 3)
    data.labels[i] = 0;  // one label is common
  SharedActiveSet builder(data, drawn, 3);
  // Of labels that the first example does not have: its own are there with certainty.
  std::vector<double> seen(num_labels), expected(num_labels), trials(num_labels);
  Rng rng(4);
  ActiveSet set;
  for (std::size_t b = 0; b < batches; ++b) {
    std::vector<std::uint32_t> batch(batch_size);
    for (std::uint32_t& i : batch) i = static_cast<std::uint32_t>(rng.below(data.size()));
    builder.build(b, batch, set);
    const std::uint32_t own = data.labels_of(batch[0])[0];
    for (std::uint32_t l = 0; l < num_labels; ++l) trials[l] += l != own;
    for (std::size_t j = 0; j < set.labels.size(); ++j) {
      seen[set.labels[j]] += set.labels[j] != own;
      expected[set.labels[j]] = std::exp(set.log_inclusion[j]);
    }
  }
  for (std::uint32_t l = 0; l < num_labels; ++l) {
    // Five standard errors of a frequency.
    CHECK(std::abs(seen[l] / trials[l] - expected[l]) <
          5 * std::sqrt(expected[l] * (1 - expected[l]) / trials[l]));
  }
  CHECK(expected[0] > 0.75);
  CHECK(expected[1] < 0.4);
}
