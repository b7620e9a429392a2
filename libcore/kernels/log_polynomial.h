#pragma once

namespace frugal {

/// Coefficients of ln(1 + f) / f for f in [0, 1], the highest power first. The polynomial is exact
/// at 0 and 1, so that logarithms increase from one power of two to the next. Of such polynomials
/// it has the least error.
inline constexpr float kLogPolynomial[] = {
    0.011883456F, -0.059304261F, 0.140769598F, -0.230346594F, 0.329915576F, -0.499770594F, 1};
inline constexpr float kLog2 = 0.693147181F;

}  // namespace frugal
