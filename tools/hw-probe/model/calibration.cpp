#include "tools/hw-probe/model/calibration.h"

#include <cmath>

namespace frugal::probe {
namespace {

double predicted(const MeasuredRun& run, const MachineSpec& machine, const Efficiency& efficiency) {
  return step_cost(run.workload, machine, {run.workload.batch, 1}, efficiency).seconds;
}

double squared_error(const std::vector<MeasuredRun>& runs, const MachineSpec& machine,
                     const Efficiency& efficiency) {
  double sum = 0;
  for (const MeasuredRun& run : runs) {
    const double miss = std::log(predicted(run, machine, efficiency) / run.step_seconds);
    sum += miss * miss;
  }
  return sum;
}

}  // namespace

double PredictedRun::error_before() const { return std::abs(before / measured - 1); }
double PredictedRun::error_after() const { return std::abs(after / measured - 1); }

Efficiency fit_efficiencies(const std::vector<MeasuredRun>& runs, const MachineSpec& machine) {
  Efficiency best;
  for (const MeasuredRun& run : runs) {
    for (const Stage& stage : run.workload.stages) {
      if (!stage.kernel.empty()) best[stage.kernel] = 1;
    }
  }
  // Each in turn goes up or down by a factor as long as this helps; then the factor shrinks. A kind
  // that the runs hardly show must not run away.
  constexpr double kFirstFactor = 2, kLastFactor = 1.0001, kLeast = 0.01, kMost = 2;
  double error = squared_error(runs, machine, best);
  for (double factor = kFirstFactor; factor > kLastFactor; factor = std::sqrt(factor)) {
    for (bool better = true; better;) {
      better = false;
      for (auto& [kernel, value] : best) {
        for (const double change : {factor, 1 / factor}) {
          value *= change;
          const double tried = squared_error(runs, machine, best);
          if (tried < error && value >= kLeast && value <= kMost) {
            error = tried;
            better = true;
          } else {
            value /= change;
          }
        }
      }
    }
  }
  return best;
}

std::vector<PredictedRun> predict(const std::vector<MeasuredRun>& runs, const MachineSpec& machine,
                                  const Efficiency& efficiency) {
  std::vector<PredictedRun> all;
  for (const MeasuredRun& run : runs) {
    all.push_back({run.name, run.step_seconds, predicted(run, machine, {}),
                   predicted(run, machine, efficiency)});
  }
  return all;
}

MeanErrors mean_errors(const std::vector<PredictedRun>& runs) {
  MeanErrors mean;
  for (const PredictedRun& run : runs) {
    mean.before += run.error_before() / static_cast<double>(runs.size());
    mean.after += run.error_after() / static_cast<double>(runs.size());
  }
  return mean;
}

}  // namespace frugal::probe
