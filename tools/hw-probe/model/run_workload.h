#pragma once
#include "tools/hw-probe/model/calibration.h"
#include "tools/hw-probe/model/run_record.h"

namespace frugal::probe {

/// Workload of the training that wrote a log, with its epochs, its reading and its validation.
/// Fails (bad_input) with the log's name if the cost model does not cover it, or a figure is
/// missing.
Workload run_workload(const RunRecord& run);

/// Workload of predictions by the model that the training wrote: layers forward only, each row read
/// once, no optimiser. An epoch is one pass over as many samples as the training had.
Workload prediction_workload(const RunRecord& run);

/// Measured times of a training.
struct LoggedRun {
  std::string machine;  ///< CPU and number of threads; "" = unknown
  double epochs = 1, epoch_seconds = 0, job_seconds = 0;
};
LoggedRun logged_run(const RunRecord& run);

/// Workload of the training, with the measured time of a step.
MeasuredRun measured_run(const RunRecord& run);

}  // namespace frugal::probe
