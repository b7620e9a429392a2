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

/// What a sweep shows, by its names in `train --json`.
namespace sweep_value {
inline constexpr char kValidation[] = "validation_average_precision_batch200";
inline constexpr char kTest[] = "test_average_precision_batch200";
inline constexpr char kNewNodes[] = "inductive_average_precision_batch200";
inline constexpr char kRank[] = "test_mrr";
inline constexpr char kRate[] = "events_per_second";
inline constexpr char kCpuRate[] = "events_per_cpu_second";
}  // namespace sweep_value

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

/// Describes points (means over seeds), runs and failed ones.
void describe_sweep(const ResultFields& f, const std::vector<SweepRun>& runs);

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
