#include "tools/sparse-train/fit/calibrate.h"

#include <doctest/doctest.h>

#include <algorithm>

using namespace frugal;
using namespace frugal::sparse;

namespace {

/// Examples without features whose labels, 0 and 1, are sorted.
Dataset sorted_examples(std::size_t examples) {
  Dataset data;
  data.num_features = 1;
  data.num_labels = 2;
  for (std::size_t i = 0; i < examples; ++i) {
    data.labels.push_back(i < examples / 2 ? 0 : 1);
    data.feature_begin.push_back(0);
    data.label_begin.push_back(data.labels.size());
  }
  return data;
}

double share_of_last(const Dataset& data) {
  const auto ones = std::count(data.labels.begin(), data.labels.end(), 1U);
  return static_cast<double>(ones) / static_cast<double>(data.size());
}

}  // namespace

TEST_CASE("thresholds of labels are fitted on examples of a whole file, which may be sorted") {
  const auto examples = calibration_examples(sorted_examples(150'000), 1);
  REQUIRE(examples);
  CHECK(examples->trained.size() == doctest::Approx(50'000).epsilon(0.03));
  CHECK(examples->held_out.size() == doctest::Approx(10'000).epsilon(0.03));
  CHECK(share_of_last(examples->trained) == doctest::Approx(0.5).epsilon(0.03));
  CHECK(share_of_last(examples->held_out) == doctest::Approx(0.5).epsilon(0.03));
}

TEST_CASE("few examples are all used") {
  const auto examples = calibration_examples(sorted_examples(1000), 1);
  REQUIRE(examples);
  CHECK(examples->trained.size() + examples->held_out.size() == 1000);
}
