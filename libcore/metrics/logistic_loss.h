#pragma once
#include <algorithm>
#include <cmath>

namespace frugal {

/// log(1 + exp(-z)) for a positive, log(1 + exp(z)) for a negative.
inline double logistic_loss(float logit, float label) {
  const double z = label > 0.5F ? -static_cast<double>(logit) : static_cast<double>(logit);
  return std::max(z, 0.0) + std::log1p(std::exp(-std::abs(z)));
}

}  // namespace frugal
