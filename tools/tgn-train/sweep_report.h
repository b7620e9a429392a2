#pragma once
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "libcore/metrics/report.h"
#include "libcore/metrics/sample_mean.h"
#include "tools/tgn-train/sweep.h"

namespace frugal {

/// The runs of one combination: means over its seeds.
struct SweepPoint {
  SweepSetting setting;  ///< of the first seed
  std::size_t seeds = 0;
  std::map<std::string, SampleMean, std::less<>> means;
  std::string failure;  ///< why there is no run, or not all

  /// NaN and 0 where there is none.
  SampleMean of(std::string_view name) const;
};

/// Runs of one combination stand behind each other.
std::vector<SweepPoint> sweep_points(const std::vector<SweepRun>& runs);

/// A head and rows for people; the rank where there is any.
std::string sweep_head(bool ranks);
std::string sweep_row(const SweepPoint& point, bool ranks);
/// runs, points, failed.
void add_sweep(const std::vector<SweepRun>& runs, nlohmann::ordered_json& json);

/// Accuracy and events a second over batch sizes, a line for each memory mode and precision with a
/// band of one deviation over seeds. machine: what the times are of.
std::vector<Figure> sweep_figures(const std::vector<SweepPoint>& points,
                                  const std::string& machine);
void add_sweep_report(const std::vector<SweepPoint>& points, const std::string& machine,
                      Report& report);

}  // namespace frugal
