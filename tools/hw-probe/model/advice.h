#pragma once
#include <optional>
#include <string>
#include <vector>

#include "libcore/metrics/result_fields.h"
#include "tools/hw-probe/model/cost.h"
#include "tools/hw-probe/model/run_workload.h"

namespace frugal {
struct Figure;
}  // namespace frugal

namespace frugal::probe {

/// A predicted value and the ends of its 80 % interval.
struct Range {
  double value = 0, low = 0, high = 0;
};
Range operator*(const Range& range, double factor);

/// Prediction of the model for one machine.
struct MachineAdvice {
  MachineSpec machine;
  StepCost step;
  double ranks = 1;
  Range epoch_seconds;                 ///< of the steps of an epoch, without validation
  Range job_seconds;                   ///< of set-up, all epochs and their validation
  std::optional<Range> epoch_dollars;  ///< nothing if the machine has no price
  std::optional<Range> job_dollars;
  std::optional<Range> job_kwh;  ///< nothing if its power is not published
  MemoryNeed memory;
  /// Why the workload cannot run there: memory that is too small, no network for several nodes, or
  /// a device that our tool has no engine for. "" = it can.
  std::string misfit;
  bool measured = true;  ///< false: no engine of our tool has run on this kind of device yet
  /// Break-even batch: batch size at which the machine takes as long for a sample as the first one,
  /// and beyond which it is faster. The one nearest to the workload's; nothing if there is none
  /// from 1 to 2^20.
  std::optional<double> crossover;
  /// Whether no other machine that can run the workload is both faster and cheaper.
  bool efficient = false;

  double samples_per_second(const Usage& usage) const { return usage.batch * ranks / step.seconds; }
};

/// All machines, best first: those that can run the workload and whose engine was measured, then
/// those whose engine was not, then the others; within each, by time or price.
struct Advice {
  Workload workload;
  Usage usage;
  double epochs = 1;
  Calibration calibration;
  std::optional<LoggedRun> logged;
  std::vector<MachineAdvice> machines;
};

enum class Order { time, price };

Advice advise(const Workload& workload, const std::vector<MachineSpec>& machines,
              const Usage& usage, double epochs, const Calibration& calibration, Order order);

/// A table for people, with a note on estimates: lines, without the last newline.
std::string advice_text(const Advice& advice);
/// Describes what --json prints.
void describe_advice(const ResultFields& f, const Advice& advice);
/// Figure of microseconds for a sample over the batch size, with a line for each machine.
Figure batch_figure(const Advice& advice);
/// Figure of the price over the time of the job, a point for each machine with a price, with the
/// efficient ones joined. Machines limited by the same resource are one series.
Figure price_figure(const Advice& advice);

}  // namespace frugal::probe
