#include "libcore/train/run_figures.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "libcore/base/text.h"

namespace frugal {

double RunFigures::median_epoch_seconds(double epochs_here) const {
  if (epoch_seconds.empty()) return of_an_epoch(fit_seconds, epochs_here);
  std::vector<double> sorted = epoch_seconds;
  std::sort(sorted.begin(), sorted.end());
  const std::size_t n = sorted.size();
  return n % 2 == 1 ? sorted[n / 2] : (sorted[n / 2 - 1] + sorted[n / 2]) / 2;
}

void add_run_figures(const RunFigures& figures, nlohmann::ordered_json& json) {
  json["epochs"] = figures.epochs;
  json["best_epoch"] = figures.best_epoch;
  json["steps"] = figures.steps;
  json["resumed_from_step"] = figures.resumed_from;
  json["loss"] = figures.loss;
}

void add_fit_seconds(const RunFigures& figures, nlohmann::ordered_json& json) {
  json["fit_seconds"] = figures.fit_seconds;
  if (figures.device_busy_seconds > 0) json["device_busy_seconds"] = figures.device_busy_seconds;
}

std::string device_busy_text(const RunFigures& figures) {
  const double busy = figures.device_busy_seconds;
  return busy > 0 ? ", device busy for " + format_seconds(busy) : "";
}

}  // namespace frugal
