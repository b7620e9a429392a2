#pragma once
#include <vector>

#include "tools/robe-compress/sweep/sweep.h"

namespace frugal {
class Report;
}  // namespace frugal

namespace frugal::robe {

/// Accuracy and speed against bytes, a curve for each method, with bands of one deviation; and the
/// table.
void add_sweep_report(const std::vector<SweepPoint>& points, Report& report);

}  // namespace frugal::robe
