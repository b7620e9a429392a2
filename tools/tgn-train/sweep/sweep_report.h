#pragma once
#include <string>
#include <vector>

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

/// Describes points (means over seeds), runs and failed ones.
void describe_sweep(const ResultFields& f, const std::vector<SweepPoint>& points);

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
