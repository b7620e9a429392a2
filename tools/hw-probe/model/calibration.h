#pragma once
#include <string>
#include <vector>

#include "tools/hw-probe/model/cost.h"

namespace frugal::probe {

/// A run of one of our tools: what the model would be asked, and what the run took.
struct MeasuredRun {
  std::string name;  ///< of its log
  Workload workload;
  double step_seconds = 0;
  double memory_bytes = 0;  ///< most that it had; 0 = unknown
};

/// A run beside its prediction.
struct PredictedRun {
  std::string name;
  double measured = 0;  ///< seconds a step
  double before = 0;    ///< predicted with typical efficiencies
  double after = 0;     ///< predicted with the fitted ones
  double memory_bytes = 0, predicted_memory_bytes = 0;

  double error_before() const;  ///< |predicted / measured - 1|
  double error_after() const;
  double memory_error() const;
};

/// Efficiencies of the kinds of kernels that the runs have: those for which the sum of squares of
/// ln(predicted / measured) is least, from 0.01 to 1: no kernel is faster than the measured peaks.
/// Kinds that the runs hardly show stay near the typical efficiency; kinds without a run have it.
Efficiency fit_efficiencies(const std::vector<MeasuredRun>& runs, const MachineSpec& machine);

std::vector<PredictedRun> predict(const std::vector<MeasuredRun>& runs, const MachineSpec& machine,
                                  const Efficiency& efficiency);

/// Measured / predicted time of each run, predicted from the fit to all others.
std::vector<double> left_out_ratios(const std::vector<MeasuredRun>& runs,
                                    const MachineSpec& machine);

/// Means of error_before(), of error_after() and, over runs of known memory, of memory_error().
struct MeanErrors {
  double before = 0, after = 0, memory = 0;
};
MeanErrors mean_errors(const std::vector<PredictedRun>& runs);

}  // namespace frugal::probe
