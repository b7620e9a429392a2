#include "libcore/nn/init.h"

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include "libcore/threading/parallel.h"

using namespace frugal;

TEST_CASE("uniform and normal fills have the moments asked for") {
  const std::size_t rows = 2000, cols = 15;
  std::vector<float> u(rows * cols), n(rows * cols);
  fill_uniform({u.data(), rows, cols}, 0.5, 1, 2);
  fill_normal({n.data(), rows, cols}, 0.1, 1, 3);
  double u_mean = 0, u_square = 0, n_mean = 0, n_square = 0;
  for (std::size_t i = 0; i < u.size(); ++i) {
    CHECK(std::abs(u[i]) <= 0.5F);
    u_mean += u[i] / static_cast<double>(u.size());
    n_mean += n[i] / static_cast<double>(u.size());
    u_square += static_cast<double>(u[i]) * u[i] / static_cast<double>(u.size());
    n_square += static_cast<double>(n[i]) * n[i] / static_cast<double>(u.size());
  }
  CHECK(std::abs(u_mean) < 0.01);
  CHECK(std::abs(n_mean) < 0.003);
  CHECK(u_square == doctest::Approx(0.25 / 3).epsilon(0.02));
  CHECK(n_square == doctest::Approx(0.01).epsilon(0.03));
}

TEST_CASE("fills depend on seed, stream and row, not on threads, stride or number of rows") {
  const auto filled = [](std::size_t rows, std::size_t stride, std::uint64_t seed,
                         std::uint64_t stream) {
    std::vector<float> values(rows * stride, 99);
    fill_uniform({values.data(), rows, 3, stride}, 1, seed, stream);
    return values;
  };
  const std::vector<float> wide = filled(5000, 4, 1, 1);
  CHECK(wide[3] == 99);  // the room between rows is left alone
  const int threads = num_threads();
  set_num_threads(3);
  CHECK(filled(5000, 4, 1, 1) == wide);
  set_num_threads(threads);
  const std::vector<float> few = filled(2, 4, 1, 1);
  CHECK(std::equal(few.begin(), few.end(), wide.begin()));
  CHECK(filled(2, 4, 2, 1) != few);
  CHECK(filled(2, 4, 1, 2) != few);
}

TEST_CASE("random numbers are the same on every machine") {
  float values[3];  // expected: the formulas of base/rng.h in exact integers
  fill_uniform({values, 1, 3}, 1, 42, 7);
  CHECK(values[0] == doctest::Approx(-0.603328365).epsilon(1e-7));
  CHECK(values[1] == doctest::Approx(-0.629782549).epsilon(1e-7));
  CHECK(values[2] == doctest::Approx(-0.224361314).epsilon(1e-7));
}

TEST_CASE("Glorot's bound follows its formula") {
  CHECK(glorot_bound(100, 50) == doctest::Approx(0.2));
}
