#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "tools/tensor-file/diff.h"

namespace frugal::tensor_file {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

template <class T>
Difference compare(std::vector<T> a, std::vector<T> b, const Tolerance& tolerance = {}) {
  const Shape shape{a.size()};
  ElementDiff diff(shape, tolerance);
  diff.add(Tensor::copy_of<T>("x", shape, std::span<const T>(a)),
           Tensor::copy_of<T>("x", shape, std::span<const T>(b)));
  return diff.difference(0, "x");
}

}  // namespace

TEST_CASE("equal elements do not differ, and 0 is -0") {
  CHECK(compare<float>({1, -0.0f, kInfinity}, {1, 0.0f, kInfinity}).elements == 0);
  CHECK(compare<std::int64_t>({INT64_MIN}, {INT64_MIN}).elements == 0);
  CHECK(compare<float>({}, {}).elements == 0);
}

TEST_CASE("equal bits of a NaN are equal, others only on request, and a number never is") {
  CHECK(compare<float>({kNan}, {kNan}).elements == 0);
  CHECK(compare<float>({kNan}, {-kNan}).elements == 1);
  CHECK(compare<float>({kNan}, {-kNan}, {0, 0, true}).elements == 0);
  CHECK(compare<float>({kNan}, {1}, {1, 1e9, true}).elements == 1);
}

TEST_CASE("infinities are equal only to themselves, whatever the tolerance") {
  CHECK(compare<float>({kInfinity}, {-kInfinity}, {1, 1, false}).elements == 1);
  CHECK(compare<float>({1}, {kInfinity}, {1, 1, false}).elements == 1);
}

TEST_CASE("neighbouring 64-bit integers differ by one") {
  const auto signed_gap = compare<std::int64_t>({INT64_MAX, -1}, {INT64_MAX - 1, -1});
  CHECK(signed_gap.elements == 1);
  CHECK(signed_gap.largest == 1);
  CHECK(compare<std::int64_t>({INT64_MIN}, {INT64_MAX}).largest == 0x1p64);
  CHECK(compare<std::uint64_t>({UINT64_MAX}, {UINT64_MAX - 1}).largest == 1);
  CHECK(compare<std::uint64_t>({10}, {11}, {0, 1, false}).elements == 0);
}

TEST_CASE("tolerances are those of |a - b| <= atol + rtol |b|") {
  CHECK(compare<double>({100}, {110}, {0.1, 0, false}).elements == 0);
  CHECK(compare<double>({110}, {100}, {0.0999, 0, false}).elements == 1);
  CHECK(compare<double>({1}, {1.5}, {0, 0.5, false}).elements == 0);
}

TEST_CASE("the first place and the largest difference are found across pieces") {
  const Shape shape{2, 2};
  ElementDiff diff(shape, {});
  const auto row = [](std::vector<float> values) {
    return Tensor::copy_of<float>("x", {1, 2}, std::span<const float>(values));
  };
  diff.add(row({1, 2}), row({1, 3}));
  diff.add(row({3, 4}), row({3, -4}));
  const Difference found = diff.difference(7, "x");
  CHECK(found.elements == 2);
  CHECK(found.total == 4);
  CHECK(found.document == 7);
  CHECK(found.first == "[0, 1]");
  CHECK(found.first_a == "2");
  CHECK(found.first_b == "3");
  CHECK(found.largest == 8);
  CHECK(found.largest_at == "[1, 1]");
}

TEST_CASE("complex numbers differ by their distance") {
  Tensor a = Tensor::make("x", Dtype::c64, {1});
  Tensor b = Tensor::make("x", Dtype::c64, {1});
  const float values_a[] = {1, 2};
  const float values_b[] = {4, 6};
  std::memcpy(a.bytes.data(), values_a, sizeof values_a);
  std::memcpy(b.bytes.data(), values_b, sizeof values_b);
  ElementDiff diff(a.shape, {});
  diff.add(a, b);
  CHECK(diff.difference(0, "x").largest == 5);
}

}  // namespace frugal::tensor_file
