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
};

/// A run beside its prediction.
struct PredictedRun {
  std::string name;
  double measured = 0;  ///< seconds a step
  double before = 0;    ///< predicted without efficiencies,
  double after = 0;     ///< and with them

  double error_before() const;  ///< |predicted / measured - 1|
  double error_after() const;
};

/// Efficiencies of the kinds of kernels that the runs have: those for which the sum of squares of
/// ln(predicted / measured) is least, from 0.01 to 1: no kernel is faster than the measured peaks.
Efficiency fit_efficiencies(const std::vector<MeasuredRun>& runs, const MachineSpec& machine);

std::vector<PredictedRun> predict(const std::vector<MeasuredRun>& runs, const MachineSpec& machine,
                                  const Efficiency& efficiency);

/// Mean of error_before() and of error_after().
struct MeanErrors {
  double before = 0, after = 0;
};
MeanErrors mean_errors(const std::vector<PredictedRun>& runs);

}  // namespace frugal::probe
