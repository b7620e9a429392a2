#include "libcore/train/run_figures.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "libcore/base/text.h"
#include "libcore/kernels/gemm.h"

namespace frugal {

double RunFigures::median_epoch_seconds(double epochs_here) const {
  if (epoch_seconds.empty()) return of_an_epoch(fit_seconds, epochs_here);
  std::vector<double> sorted = epoch_seconds;
  std::sort(sorted.begin(), sorted.end());
  const std::size_t n = sorted.size();
  return n % 2 == 1 ? sorted[n / 2] : (sorted[n / 2 - 1] + sorted[n / 2]) / 2;
}

void describe_run_figures(const ResultFields& f, const RunFigures& figures) {
  f.add("epochs", figures.epochs, "epochs trained; the last one may be incomplete");
  f.add("best_epoch", figures.best_epoch, "epoch whose parameters are in the model");
  f.add("steps", figures.steps, "optimiser steps, including those before --resume");
  f.add("resumed_from_step", figures.resumed_from,
        "step at which the checkpoint was written that the run resumed from; 0 = the run did not "
        "resume");
  f.add("loss", figures.loss, "mean training loss of the last epoch");
}

void describe_fit_seconds(const ResultFields& f, const RunFigures& figures) {
  f.add("fit_seconds", figures.fit_seconds, "time spent in training steps");
  f.add("fit_cpu_seconds", figures.fit_cpu_seconds, "CPU time of all threads meanwhile");
  f.when("training on a device", figures.device_busy_seconds > 0, [&](const ResultFields& device) {
    device.add("device_busy_seconds", figures.device_busy_seconds,
               "part of fit_seconds in which the device was computing");
  });
  f.when("training on the CPU", figures.device_busy_seconds == 0, [&](const ResultFields& cpu) {
    cpu.add("precision", kPrecisionNames[static_cast<std::size_t>(used_precision())],
            "number type of the matrix products: bf16 if any was computed in it");
  });
}

std::string device_busy_text(const RunFigures& figures) {
  const double busy = figures.device_busy_seconds;
  return busy > 0 ? ", device busy for " + format_seconds(busy) : "";
}

}  // namespace frugal
