#include "tools/sparse-train/search/rate_search.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "tests/tools/sparse-train/synthetic_data.h"

using namespace frugal;
using namespace frugal::sparse;

TEST_CASE("the search climbs to the best rate and asks for each once") {
  for (const int best : {-3, -1, 0, 2, 4}) {
    std::vector<double> asked;
    const double found = climb_to_rate(0.1, [&](double rate) {
      asked.push_back(rate);
      return -std::abs(std::log2(rate / 0.1) - best);
    });
    CHECK(found == doctest::Approx(0.1 * std::exp2(best)));
    CHECK(asked.size() <= kMostRateTrials);
    for (std::size_t i = 0; i < asked.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) CHECK(asked[i] != asked[j]);
    }
  }
}

TEST_CASE("the search ends where rates never get worse") {
  int asked = 0;
  const double found = climb_to_rate(1, [&](double rate) { return ++asked, rate; });
  CHECK(asked <= kMostRateTrials + 1);
  CHECK(found >= 16);
}

TEST_CASE("a rate far too low is found out on data") {
  TrainSettings settings;
  settings.learning_rate = 1e-4;
  const Dataset data = synthetic_data(2000, 40, 2);
  Plan plan = plan_training(settings, facts_of(data));
  plan.hidden = 32;
  CHECK(find_learning_rate(plan, data, 1, Precision::f32) >= 4e-4);
}

TEST_CASE("a rate is searched for on examples of a whole file, which may be sorted by label") {
  TrainSettings settings;
  settings.learning_rate = 1e-4;
  const Dataset shuffled = synthetic_data(2000, 40, 1);
  std::vector<std::uint32_t> order(shuffled.size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::stable_sort(order, {}, [&](std::uint32_t i) { return shuffled.labels_of(i)[0]; });
  const Dataset data = part_of(shuffled, order);
  Plan plan = plan_training(settings, facts_of(data));
  plan.hidden = 32;
  CHECK(find_learning_rate(plan, data, 1, Precision::f32) >= 4e-4);
}
