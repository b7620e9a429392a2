#pragma once
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "tools/hw-probe/model/cost.h"

namespace frugal {
struct Figure;
}  // namespace frugal

namespace frugal::probe {

/// Prediction of the model for one machine.
struct MachineAdvice {
  MachineSpec machine;
  StepCost step;
  double epoch_seconds = 0;
  std::optional<double> epoch_dollars;  ///< nothing if the machine has no price
  /// Why the workload cannot run there: memory that is too small, no network for several nodes, or
  /// a device that our tool has no engine for. "" = it can.
  std::string misfit;
  bool measured = true;  ///< false: no engine of our tool has run on this kind of device yet
  /// Break-even batch: batch size at which the machine takes as long for a sample as the first one,
  /// and beyond which it is faster. The one nearest to the workload's; nothing if there is none
  /// from 1 to 2^20.
  std::optional<double> crossover;

  double samples_per_second(const Usage& usage) const {
    return usage.batch * usage.nodes / step.seconds;
  }
};

/// All machines, best first: those into which the workload fits, by time or price, then the others.
struct Advice {
  Workload workload;
  Usage usage;
  std::string calibration;  ///< file of the efficiencies in use; "" = none
  std::vector<MachineAdvice> machines;
};

enum class Order { time, price };

Advice advise(const Workload& workload, const std::vector<MachineSpec>& machines,
              const Usage& usage, const Efficiency& efficiency, Order order);

/// A table for people, with a note on estimates: lines, without the last newline.
std::string advice_text(const Advice& advice);
/// Describes what --json prints.
void describe_advice(const ResultFields& f, const Advice& advice);
/// Figure of microseconds for a sample over the batch size, with a line for each machine.
Figure advice_figure(const Advice& advice, const Efficiency& efficiency);

}  // namespace frugal::probe
