#include "tools/tgn-train/sweep/sweep.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "libcore/kernels/kernels.h"
#include "libcore/threading/parallel.h"
#include "tools/tgn-train/data/stream_fingerprint.h"
#include "tools/tgn-train/run/report.h"
#include "tools/tgn-train/settings/train_fields.h"

namespace frugal::tgn {
namespace {

/// All that a run's numbers depend on, its times as well.
std::string identity_of(const TrainOptions& o, const std::string& events) {
  return option_line(training_options(o)) + " ranks=" + o.ranking.kind +
         " ranked=" + std::to_string(o.ranking.count) +
         " rank-seed=" + std::to_string(o.ranking.seed) + " events=" + events +
         " threads=" + std::to_string(num_threads()) + " simd=" + kernels().name +
         (o.mixes ? " mix=auto" : "");  // not in the logs of versions before it
}

/// The numbers of a training; nothing if a signal stopped it.
std::optional<NamedValues> values_of(const TrainOptions& options, const SweepProgress& share) {
  TrainObserver observer;
  observer.progress = [&](double epochs, const std::string& note) {
    share(epochs / options.epochs, note);
  };
  const TrainResult result = train(options, observer);
  if (result.stopped) return std::nullopt;
  nlohmann::ordered_json json;
  describe_result(ResultFields(json), result);
  NamedValues values;
  for (const auto& [name, value] : json.items()) {
    if (value.is_number()) values.emplace_back(name, value.get<double>());
  }
  return values;
}

template <class T>
std::vector<T> distinct(const std::vector<T>& values) {
  std::vector<T> kept;
  for (const T& value : values) {
    if (std::find(kept.begin(), kept.end(), value) == kept.end()) kept.push_back(value);
  }
  return kept;
}

}  // namespace

nlohmann::ordered_json json_of(const SweepPoint& point) {
  return {{"memory", point.memory}, {"precision", point.precision}, {"batch_size", point.batch}};
}

std::vector<SweepPoint> sweep_points(const SweepOptions& options) {
  std::vector<SweepPoint> points;
  for (const std::string& memory : distinct(options.memories)) {
    for (const std::string& precision : distinct(options.precisions)) {
      for (const std::size_t batch : distinct(options.batches)) {
        points.push_back({{}, memory, precision, batch});
      }
    }
  }
  return points;
}

void sweep(const SweepOptions& options, std::vector<SweepPoint>& points,
           const std::function<TrainOptions(const SweepPoint&, std::uint64_t seed)>& options_of,
           SweepPlan plan) {
  const std::string fingerprint = stream_fingerprint(EventStream(options.events));
  plan.SweepSettings::operator=(options);
  plan.describe = [&](std::size_t i) { return json_of(points[i]); };
  plan.identity = [&](std::size_t i, std::uint64_t seed) {
    return identity_of(options_of(points[i], seed), fingerprint);
  };
  plan.train = [&](std::size_t i, std::uint64_t seed, const SweepProgress& share) {
    return values_of(options_of(points[i], seed), share);
  };
  run_sweep(points, plan);
}

}  // namespace frugal::tgn
