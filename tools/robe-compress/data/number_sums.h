#pragma once
#include "tools/robe-compress/data/click_encoder.h"

namespace frugal::robe {

/// Sums of one number over samples, around the first so that little is lost where the numbers are
/// much larger than their differences.
struct NumberSums {
  double count = 0, first = 0, sum = 0, squares = 0;

  void add(float x);
  void merge(const NumberSums& other);
  /// To mean 0 and deviation 1; numbers that are all equal become 0.
  NumberScale scale() const;
};

}  // namespace frugal::robe
