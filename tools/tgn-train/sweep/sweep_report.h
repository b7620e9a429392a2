#pragma once
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "libcore/metrics/sample_mean.h"
#include "libcore/report/report.h"
#include "tools/tgn-train/sweep/sweep.h"

namespace frugal::tgn {

/// Metrics that a sweep shows, by their names in `train --json`.
namespace sweep_value {
inline constexpr char kValidation[] = "validation_average_precision_batch200";
inline constexpr char kTest[] = "test_average_precision_batch200";
inline constexpr char kNewNodes[] = "inductive_average_precision_batch200";
inline constexpr char kRank[] = "test_mrr";
inline constexpr char kRate[] = "events_per_second";
inline constexpr char kCpuRate[] = "events_per_cpu_second";
}  // namespace sweep_value

/// Means over the seeds of a combination.
struct SweepPoint {
  SweepSetting setting;  ///< of the first seed
  std::size_t seeds = 0;
  std::map<std::string, SampleMean, std::less<>> means;
  std::string failure;  ///< why runs are missing

  /// Mean and deviation of that metric; NaN and 0 if there is none.
  SampleMean of(std::string_view name) const;
};

/// Averages the runs of each combination, which must be consecutive.
std::vector<SweepPoint> sweep_points(const std::vector<SweepRun>& runs);

/// Describes points (means over seeds), runs and failed ones.
void describe_sweep(const ResultFields& f, const std::vector<SweepRun>& runs);

/// Head and row of the table for people. ranks: with a column of ranks.
std::string sweep_head(bool ranks);
std::string sweep_row(const SweepPoint& point, bool ranks);
/// Figures of accuracy and events per second over batch sizes: a line for each memory mode and
/// precision, with a band of one standard deviation over seeds. machine: where times were measured.
std::vector<Figure> sweep_figures(const std::vector<SweepPoint>& points,
                                  const std::string& machine);
void add_sweep_report(const std::vector<SweepPoint>& points, const std::string& machine,
                      Report& report);

}  // namespace frugal::tgn
