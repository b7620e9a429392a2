#pragma once
#include <string>
#include <vector>

#include "libcore/metrics/report.h"
#include "tools/tgn-train/sweep_points.h"

namespace frugal::tgn {

/// A head and rows for people; the rank where there is any.
std::string sweep_head(bool ranks);
std::string sweep_row(const SweepPoint& point, bool ranks);
/// Accuracy and events a second over batch sizes, a line for each memory mode and precision with a
/// band of one deviation over seeds. machine: what the times are of.
std::vector<Figure> sweep_figures(const std::vector<SweepPoint>& points,
                                  const std::string& machine);
void add_sweep_report(const std::vector<SweepPoint>& points, const std::string& machine,
                      Report& report);

}  // namespace frugal::tgn
