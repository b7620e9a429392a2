#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "libcore/metrics/result_fields.h"

namespace frugal {

/// What a training reports of its run: a tool's result is one of these and more.
struct RunFigures {
  int epochs = 0;                     ///< trained, the last one perhaps in part
  int best_epoch = 0;                 ///< the one that the model is of
  int best_validated_epoch = 0;       ///< the one that validated best; 0: none was validated
  std::uint64_t steps = 0;            ///< of the whole run, those before a resume included
  std::uint64_t resumed_from = 0;     ///< step
  std::uint64_t samples = 0;          ///< trained on in this process
  double loss = 0;                    ///< mean of the last epoch, or of what was trained of it
  double fit_seconds = 0;             ///< in Trainee::begin_epoch() and advance()
  double fit_cpu_seconds = 0;         ///< of all threads in that time
  double device_busy_seconds = 0;     ///< of that time, in which a device computed steps; 0: none
  double eval_seconds = 0;            ///< in end_epoch() and validate()
  std::vector<double> epoch_seconds;  ///< fit_seconds of this process's whole epochs
  bool stopped = false;               ///< by a signal, at a checkpoint if there is one: no model

  /// The part of `seconds` of this process that belongs to an epoch, of which it trained `epochs`.
  static double of_an_epoch(double seconds, double epochs) {
    return epochs > 0 ? seconds / epochs : 0;
  }
  /// Of whole epochs; where there is none, by the part of one that this process trained.
  double median_epoch_seconds(double epochs_here) const;
};

/// Describes the results that every training has: its epochs, steps and loss.
void describe_run_figures(const ResultFields& f, const RunFigures& figures);
/// Describes the time in steps and, if a device computed them, its part of that time.
void describe_fit_seconds(const ResultFields& f, const RunFigures& figures);
/// ", device busy for 2.5 s" for a summary in text; empty where no device computed steps.
std::string device_busy_text(const RunFigures& figures);

}  // namespace frugal
