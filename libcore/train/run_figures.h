#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "libcore/metrics/result_fields.h"

namespace frugal {

/// Figures that every training reports of its run; the results of all tools contain them.
struct RunFigures {
  int epochs = 0;                  ///< epochs trained; the last one may be incomplete
  int best_epoch = 0;              ///< epoch whose parameters the model has
  int best_validated_epoch = 0;    ///< epoch with the best validation; 0: none
  std::uint64_t steps = 0;         ///< steps of the whole run, including those before a resume
  std::uint64_t resumed_from = 0;  ///< step of the checkpoint; 0: none
  std::uint64_t samples = 0;       ///< trained on in this process
  double loss = 0;                 ///< mean training loss of the last epoch, or of its trained part
  double fit_seconds = 0;          ///< time in Trainee::begin_epoch() and advance()
  double fit_cpu_seconds = 0;      ///< CPU time of all threads meanwhile
  double device_busy_seconds = 0;  ///< time meanwhile in which a device computed steps; 0: none
  double eval_seconds = 0;         ///< time in end_epoch() and validate()
  std::vector<double> epoch_seconds;  ///< fit_seconds of each whole epoch of this process
  bool stopped = false;               ///< stopped by a signal: a checkpoint may exist, but no model

  /// Time per epoch, if this process trained `epochs` epochs in `seconds`.
  static double of_an_epoch(double seconds, double epochs) {
    return epochs > 0 ? seconds / epochs : 0;
  }
  /// Median over whole epochs. Without any, extrapolated from the part of an epoch that this
  /// process trained.
  double median_epoch_seconds(double epochs_here) const;
};

/// Describes results that every training has: epochs, steps and loss.
void describe_run_figures(const ResultFields& f, const RunFigures& figures);
/// Describes the time of steps and, if a device computed them, the share in which it was busy.
void describe_fit_seconds(const ResultFields& f, const RunFigures& figures);
/// Text for a summary: ", device busy for 2.5 s"; empty if no device computed steps.
std::string device_busy_text(const RunFigures& figures);

}  // namespace frugal
