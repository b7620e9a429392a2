#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "libcore/train/sweep.h"
#include "tools/tgn-train/run/training.h"

namespace frugal::tgn {

/// Options in which the runs of a sweep differ, and the runs.
struct SweepPoint : SeedRuns {
  std::string memory = "window", precision = "f32";
  std::size_t batch = 200;
};

struct SweepOptions : SweepSettings {
  std::string events;
  std::vector<std::string> memories = {"window", "exact"};
  std::vector<std::string> precisions = {"f32", "bf16"};
  std::vector<std::size_t> batches = {10, 40, 200};
};

/// Lists every combination once, without runs.
std::vector<SweepPoint> sweep_points(const SweepOptions& options);

/// The options of a point, as the log and the results name them.
nlohmann::ordered_json json_of(const SweepPoint& point);

/// Trains and tests models for each point and seed, with options_of(point, seed). The values of a
/// run are the numbers of `train --json`. Runs of the log are those with the same options, events,
/// threads and instruction set. plan: who is told.
void sweep(const SweepOptions& options, std::vector<SweepPoint>& points,
           const std::function<TrainOptions(const SweepPoint&, std::uint64_t seed)>& options_of,
           SweepPlan plan);

}  // namespace frugal::tgn
