#include "tools/sparse-train/tree/label_features.h"

#include <doctest/doctest.h>

using namespace frugal;
using namespace frugal::sparse;

TEST_CASE("each of many labels has the features of its own examples") {
  constexpr std::uint32_t kLabels = 2500;  // more than two pieces of the work
  Dataset data;
  data.num_labels = kLabels;
  data.num_features = 2 * kLabels;
  for (std::uint32_t l = 0; l < kLabels; ++l) {
    if (l % 7 == 3) continue;  // a label without examples has an empty row
    data.features.push_back(2 * l);
    data.features.push_back(2 * l + 1);
    data.values.push_back(3);
    data.values.push_back(4);
    data.labels.push_back(l);
    data.feature_begin.push_back(data.features.size());
    data.label_begin.push_back(data.labels.size());
  }
  const SparseRows rows = label_features(data);
  REQUIRE(rows.size() == kLabels);
  CHECK(rows.num_features == data.num_features);
  for (std::uint32_t l = 0; l < kLabels; ++l) {
    REQUIRE(rows.begin[l + 1] - rows.begin[l] == (l % 7 == 3 ? 0 : 2));
    if (l % 7 == 3) continue;
    CHECK(rows.features[rows.begin[l]] == 2 * l);
    CHECK(rows.values[rows.begin[l]] == doctest::Approx(0.6));
    CHECK(rows.values[rows.begin[l] + 1] == doctest::Approx(0.8));
  }
}
