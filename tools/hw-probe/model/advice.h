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

/// What the model says of one machine.
struct MachineAdvice {
  MachineSpec machine;
  StepCost step;
  double epoch_seconds = 0;
  std::optional<double> epoch_dollars;  ///< nothing where the machine has no price
  std::string misfit;                   ///< "" where all fits into memory
  /// Batch size nearest to the workload's at which it is as fast a sample as the first machine, and
  /// faster beyond; nothing where there is none from 1 to 2^20.
  std::optional<double> crossover;

  double samples_per_second(const Usage& usage) const {
    return usage.batch * usage.nodes / step.seconds;
  }
};

/// All machines, best first: those that hold the workload by time or by price, then the others.
struct Advice {
  Workload workload;
  Usage usage;
  std::string calibration;  ///< file of the efficiencies in use; "" = none
  std::vector<MachineAdvice> machines;
};

enum class Order { time, price };

Advice advise(const Workload& workload, const std::vector<MachineSpec>& machines,
              const Usage& usage, const Efficiency& efficiency, Order order);

/// A table for people and what in it is an estimate: lines, without the last newline.
std::string advice_text(const Advice& advice);
/// Describes what --json prints.
void describe_advice(const ResultFields& f, const Advice& advice);
/// Microseconds a sample over the batch size, a line for each machine.
Figure advice_figure(const Advice& advice, const Efficiency& efficiency);

}  // namespace frugal::probe
