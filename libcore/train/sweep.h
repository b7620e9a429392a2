#pragma once
#include <cmath>
#include <cstdint>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "libcore/metrics/named_values.h"
#include "libcore/metrics/sample_mean.h"
#include "libcore/options/option_fields.h"

namespace frugal {

/// One training of a sweep.
struct SweepRun {
  std::uint64_t seed = 0;
  NamedValues values;   ///< results by name
  std::string failure;  ///< why there are no values
  bool kept = false;    ///< taken from an earlier sweep
};

/// Trainings of a sweep that differ only in their seeds. Tools derive the points of their sweeps
/// from it, which add the settings.
struct SeedRuns {
  std::vector<SweepRun> runs;

  std::size_t num_trained() const;
  /// Reason of the first run that failed; "" = none did.
  std::string failure() const;
  /// Values of that name, of the runs that have one.
  std::vector<double> values(std::string_view name) const;
  /// Their mean and deviation; NaN and 0 if there are none.
  SampleMean mean(std::string_view name) const;
};

/// Options of all sweeps.
struct SweepSettings {
  int seeds = 1;
  std::uint64_t first_seed = 0;
  std::string log;  ///< file of finished runs, which are not repeated; "" = none
};

/// Describes --seeds.
void describe_seeds(const OptionFields& fields, int& seeds);

/// Shows progress: what is done, and a note.
using SweepProgress = std::function<void(double done, const std::string& note)>;

/// How a tool trains its points, which are given by their index, and who is told of them.
struct SweepPlan : SweepSettings {
  /// Errors other than `usage` end the sweep. Without it, every error is a failure of its run.
  bool ends_at_errors = false;
  /// Everything that the values of a run depend on; finds it in the log.
  std::function<std::string(std::size_t point, std::uint64_t seed)> identity;
  /// Trains and returns the values, or nothing if a signal stopped it.
  std::function<std::optional<NamedValues>(std::size_t point, std::uint64_t seed,
                                           const SweepProgress& share)>
      train;
  /// Settings of a point as a JSON object, for readers of the log.
  std::function<nlohmann::ordered_json(std::size_t point)> describe;
  /// Called when all runs of a point have ended; may be empty.
  std::function<void(std::size_t point)> finished;
  /// Called with the number of finished runs, with fractions; may be empty.
  std::function<void(double done, double total, const std::string& note)> progress;
};

/// Trains the points in order, each with all seeds, and fills in their runs. If a run fails, the
/// others continue; if all fail, fails as the first did. A signal stops the sweep, which continues
/// from its log when it is run again.
void run_sweep(std::span<SeedRuns* const> points, const SweepPlan& plan);

template <class Point>
void run_sweep(std::vector<Point>& points, const SweepPlan& plan) {
  std::vector<SeedRuns*> all;
  for (Point& point : points) all.push_back(&point);
  run_sweep(std::span<SeedRuns* const>(all), plan);
}

/// The point with the highest mean of a value; null if no point has it.
template <class Point>
const Point* best_point(const std::vector<Point>& points, std::string_view name) {
  const Point* best = nullptr;
  for (const Point& point : points) {
    const double mean = point.mean(name).mean;
    if (!std::isnan(mean) && (best == nullptr || mean > best->mean(name).mean)) best = &point;
  }
  return best;
}

/// Adds the keys `name` and `name`_deviation to a JSON object.
void add_mean(nlohmann::ordered_json& to, const std::string& name, const SampleMean& mean);

}  // namespace frugal
