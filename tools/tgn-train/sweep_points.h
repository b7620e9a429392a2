#pragma once
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "libcore/metrics/sample_mean.h"
#include "tools/tgn-train/sweep.h"

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

/// runs, points, failed.
void add_sweep(const std::vector<SweepRun>& runs, nlohmann::ordered_json& json);

}  // namespace frugal::tgn
