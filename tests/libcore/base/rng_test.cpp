#include "libcore/base/rng.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

using namespace frugal;

TEST_CASE("a draw is a function of seed, stream and index alone") {
  Rng a(7, 3), b(7, 3);
  const std::uint64_t tenth = a.at(10);
  for (int i = 0; i < 10; ++i) CHECK(a.next() == b.next());
  CHECK(a.next() == tenth);
  CHECK(Rng(7, 3, 10).next() == tenth);
}

TEST_CASE("seeds and streams that are close give unrelated draws") {
  std::set<std::uint64_t> seen;
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    for (std::uint64_t stream = 0; stream < 30; ++stream) {
      Rng rng(seed, stream);
      for (int i = 0; i < 10; ++i) seen.insert(rng.next());
    }
  }
  CHECK(seen.size() == 30 * 30 * 10);
}

TEST_CASE("below is uniform: chi-square of 7 cells and of high and low bits") {
  Rng rng(1);
  std::vector<double> cells(7, 0);
  const int n = 70000;
  for (int i = 0; i < n; ++i) ++cells[rng.below(7)];
  double chi = 0;
  for (double count : cells) chi += (count - n / 7.0) * (count - n / 7.0) / (n / 7.0);
  CHECK(chi < 22.5);  // 6 degrees of freedom, p = 0.001
  for (int bit = 0; bit < 64; ++bit) {
    int ones = 0;
    for (std::uint64_t i = 0; i < 4096; ++i) ones += static_cast<int>(rng.at(i) >> bit & 1);
    CHECK(std::abs(ones - 2048) < 4 * 32);  // four standard deviations
  }
  for (int i = 0; i < 100; ++i) CHECK(rng.below(1) == 0);
}

TEST_CASE("uniform lies in [0, 1) with mean 1/2; normal has mean 0 and variance 1") {
  Rng rng(2);
  double sum = 0, normal_sum = 0, normal_squares = 0;
  const int n = 100000;
  for (int i = 0; i < n; ++i) {
    const double u = rng.uniform();
    CHECK((u >= 0 && u < 1));
    sum += u;
    const double x = rng.normal();
    normal_sum += x;
    normal_squares += x * x;
  }
  CHECK(std::abs(sum / n - 0.5) < 0.005);
  CHECK(std::abs(normal_sum / n) < 0.015);
  CHECK(std::abs(normal_squares / n - 1) < 0.03);
}

TEST_CASE("shuffle is a permutation in which every place is equally likely") {
  std::vector<double> first(5, 0);
  for (std::uint64_t seed = 0; seed < 5000; ++seed) {
    std::vector<int> values{0, 1, 2, 3, 4};
    shuffle(values.data(), values.size(), Rng(seed));
    ++first[static_cast<std::size_t>(values[0])];
    std::sort(values.begin(), values.end());
    CHECK(values == std::vector<int>{0, 1, 2, 3, 4});
  }
  for (double count : first) CHECK(std::abs(count - 1000) < 4 * 28.3);
}
