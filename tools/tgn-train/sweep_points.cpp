#include "tools/tgn-train/sweep_points.h"

#include <cmath>
#include <nlohmann/json.hpp>

namespace frugal::tgn {
namespace {

bool same_point(const SweepSetting& a, const SweepSetting& b) {
  return a.memory == b.memory && a.precision == b.precision && a.batch == b.batch;
}

/// Whole numbers without a fraction.
nlohmann::ordered_json json_of(double value) {
  constexpr double kExact = 0x1p53;
  if (std::abs(value) < kExact && value == std::trunc(value)) {
    return static_cast<std::int64_t>(value);
  }
  return value;
}

nlohmann::ordered_json json_of(const SweepSetting& setting) {
  return {{"memory", setting.memory}, {"precision", setting.precision}, {"batch", setting.batch}};
}

}  // namespace

SampleMean SweepPoint::of(std::string_view name) const {
  const auto found = means.find(name);
  return found == means.end() ? SampleMean{NAN, 0} : found->second;
}

std::vector<SweepPoint> sweep_points(const std::vector<SweepRun>& runs) {
  std::vector<SweepPoint> points;
  for (auto run = runs.begin(); run != runs.end();) {
    SweepPoint& point = points.emplace_back();
    point.setting = run->setting;
    std::map<std::string, std::vector<double>, std::less<>> values;
    for (; run != runs.end() && same_point(run->setting, point.setting); ++run) {
      if (point.failure.empty()) point.failure = run->failure;
      if (!run->failure.empty()) continue;
      ++point.seeds;
      for (const auto& [name, value] : run->values) values[name].push_back(value);
    }
    for (const auto& [name, of_seeds] : values) point.means[name] = sample_mean(of_seeds);
  }
  return points;
}

void add_sweep(const std::vector<SweepRun>& runs, nlohmann::ordered_json& json) {
  nlohmann::ordered_json all = nlohmann::ordered_json::array(), means = all, failed = all;
  for (const SweepRun& run : runs) {
    nlohmann::ordered_json one = json_of(run.setting);
    one["seed"] = run.setting.seed;
    if (!run.failure.empty()) {
      one["error"] = run.failure;
      failed.push_back(std::move(one));
      continue;
    }
    one["kept"] = run.kept;
    for (const auto& [name, value] : run.values) one[name] = json_of(value);
    all.push_back(std::move(one));
  }
  for (const SweepPoint& point : sweep_points(runs)) {
    if (point.seeds == 0) continue;
    nlohmann::ordered_json one = json_of(point.setting);
    one["seeds"] = point.seeds;
    for (const char* name : {sweep_value::kValidation, sweep_value::kTest, sweep_value::kNewNodes,
                             sweep_value::kRank, sweep_value::kRate, sweep_value::kCpuRate}) {
      const SampleMean mean = point.of(name);
      if (std::isnan(mean.mean)) continue;
      one[name] = mean.mean;
      one[std::string(name) + "_deviation"] = mean.deviation;
    }
    means.push_back(std::move(one));
  }
  json["points"] = std::move(means);
  json["runs"] = std::move(all);
  json["failed"] = std::move(failed);
}

}  // namespace frugal::tgn
