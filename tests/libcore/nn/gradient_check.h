#pragma once
#include <algorithm>
#include <cmath>
#include <functional>
#include <span>
#include <vector>

#include "libcore/base/rng.h"
#include "libcore/base/view.h"

/// Gradient of f at x by central differences in double.
inline std::vector<double> central_differences(
    const std::function<double(const std::vector<double>&)>& f, std::vector<double> x,
    double h = 1e-5) {
  std::vector<double> gradient(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double at = x[i];
    x[i] = at + h;
    const double above = f(x);
    x[i] = at - h;
    gradient[i] = (above - f(x)) / (2 * h);
    x[i] = at;
  }
  return gradient;
}

/// |a - b| / max(|a|, |b|) in the Euclidean norm; 0 where both are 0.
inline double relative_error(std::span<const double> a, std::span<const float> b) {
  double difference = 0, size_a = 0, size_b = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double y = b[i];
    difference += (a[i] - y) * (a[i] - y);
    size_a += a[i] * a[i];
    size_b += y * y;
  }
  const double size = std::sqrt(std::max(size_a, size_b));
  return size == 0 ? 0 : std::sqrt(difference) / size;
}

inline std::vector<float> random_floats(std::size_t n, std::uint64_t seed, double bound = 2) {
  frugal::Rng rng(seed);
  std::vector<float> values(n);
  for (float& x : values) x = static_cast<float>(rng.uniform(-bound, bound));
  return values;
}

inline void fill_random(frugal::MatrixView<float> to, std::uint64_t seed) {
  const std::vector<float> drawn = random_floats(to.rows * to.cols, seed);
  for (std::size_t r = 0; r < to.rows; ++r) {
    std::copy_n(drawn.data() + r * to.cols, to.cols, to.row(r));
  }
}

inline std::vector<double> widened(std::span<const float> x) { return {x.begin(), x.end()}; }
