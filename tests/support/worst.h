#pragma once
// The worst of many differences.
#include <cmath>

namespace frugal {

/// The larger one, or not a number where either is none; std::max drops what is none, and a test
/// would pass.
template <class T>
T worse(T a, T b) {
  return std::isnan(a) || a >= b ? a : b;
}

}  // namespace frugal
