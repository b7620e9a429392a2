#pragma once
#include <cstddef>

namespace frugal::bench {

struct Shape {
  std::size_t m, k, n;
};

/// C = A B by Eigen, one thread. a: [m, k], b: [k, n], c: [m, n], row-major.
void eigen_v3(const Shape& shape, const float* a, const float* b, float* c);
void eigen_v4(const Shape& shape, const float* a, const float* b, float* c);

}  // namespace frugal::bench
