#include "tools/tensor-file/element_diff.h"

#include <cmath>
#include <cstring>
#include <limits>

#include "tools/tensor-file/element.h"

namespace frugal::tensor_file {
namespace {

/// |a - b|: 0 for the same infinity, infinite for one, NaN if one is NaN.
double distance(Complex64 a, Complex64 b) {
  const auto axis = [](float x, float y) {
    return x == y ? 0.0 : static_cast<double>(x) - static_cast<double>(y);
  };
  return std::hypot(axis(a.real, b.real), axis(a.imaginary, b.imaginary));
}

template <class T>
double distance(T a, T b) {
  const auto x = widened(a);
  const auto y = widened(b);
  if (x == y) return 0;
  if constexpr (std::is_integral_v<T>) {
    // Exact for neighbours beyond 2^53, where doubles are not.
    const std::uint64_t gap = x > y ? static_cast<std::uint64_t>(x) - static_cast<std::uint64_t>(y)
                                    : static_cast<std::uint64_t>(y) - static_cast<std::uint64_t>(x);
    return static_cast<double>(gap);
  } else {
    return std::abs(static_cast<double>(x) - static_cast<double>(y));
  }
}

double magnitude(Complex64 x) { return std::hypot(x.real, x.imaginary); }
template <class T>
double magnitude(T x) {
  return std::abs(static_cast<double>(widened(x)));
}

bool is_nan(Complex64 x) { return std::isnan(x.real) || std::isnan(x.imaginary); }
template <class T>
bool is_nan(T x) {
  return std::isnan(static_cast<double>(widened(x)));
}

template <class T>
bool is_equal(T a, T b, double gap, const Tolerance& tolerance) {
  if (gap == 0 || std::memcmp(&a, &b, sizeof a) == 0) return true;
  if (is_nan(a) || is_nan(b)) return tolerance.equal_nan && is_nan(a) && is_nan(b);
  return std::isfinite(gap) && gap <= tolerance.atol + tolerance.rtol * magnitude(b);
}

}  // namespace

void ElementDiff::add(const Tensor& a, const Tensor& b) {
  with_element_type(a.dtype, [&](auto type) { compare<decltype(type)>(a, b); });
  compared_ += num_elements(a.shape);
}

template <class T>
void ElementDiff::compare(const Tensor& a, const Tensor& b) {
  const std::uint64_t count = num_elements(a.shape);
  for (std::uint64_t i = 0; i < count; ++i) {
    const T x = element<T>(a, i);
    const T y = element<T>(b, i);
    const double gap = distance(x, y);
    if (!is_equal(x, y, gap, tolerance_)) count_difference(a, b, i, gap);
  }
}

void ElementDiff::count_difference(const Tensor& a, const Tensor& b, std::uint64_t i,
                                   double distance) {
  const auto place = [&] { return index_text(compared_ + i, shape_); };
  if (difference_.elements++ == 0) {
    difference_.first = place();
    append_element(difference_.first_a, a, i);
    append_element(difference_.first_b, b, i);
    difference_.largest = std::numeric_limits<double>::quiet_NaN();
    difference_.largest_at = difference_.first;
  }
  if (distance > difference_.largest ||
      (std::isnan(difference_.largest) && !std::isnan(distance))) {
    difference_.largest = distance;
    difference_.largest_at = place();
  }
}

Difference ElementDiff::difference(std::uint64_t document, const std::string& tensor) const {
  Difference result = difference_;
  result.document = document;
  result.tensor = tensor;
  result.total = num_elements(shape_);
  return result;
}

}  // namespace frugal::tensor_file
