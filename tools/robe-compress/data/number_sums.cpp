#include "tools/robe-compress/data/number_sums.h"

#include <cmath>

namespace frugal::robe {

void NumberSums::add(float x) {
  if (std::isnan(x)) return;
  if (count == 0) first = x;
  const double from_first = x - first;
  count += 1;
  sum += from_first;
  squares += from_first * from_first;
}

void NumberSums::merge(const NumberSums& other) {
  if (count == 0) first = other.first;
  const double shift = other.first - first;
  count += other.count;
  sum += other.sum + other.count * shift;
  squares += other.squares + shift * (2 * other.sum + other.count * shift);
}

NumberScale NumberSums::scale() const {
  if (count == 0) return {};
  const double mean = sum / count;
  const double variance = squares / count - mean * mean;
  // The sums are relative to the first number, so a variance far below the mean square is rounding.
  const bool constant = variance <= 1e-12 * (squares / count);
  return {static_cast<float>(first + mean),
          constant ? 1.0F : static_cast<float>(1 / std::sqrt(variance))};
}

}  // namespace frugal::robe
