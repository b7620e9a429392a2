#include "tools/hw-probe/model/advice.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

namespace frugal::probe {
namespace {

constexpr double kLargestBatch = 1 << 20;

double sample_seconds(const Workload& workload, const MachineSpec& machine, Usage usage,
                      const Efficiency& efficiency) {
  return step_cost(workload, machine, usage, efficiency).seconds / (usage.batch * usage.nodes);
}

/// How two machines compare at a batch size.
struct Race {
  const Workload& workload;
  const MachineSpec& first;
  const MachineSpec& other;
  double nodes;
  const Efficiency& efficiency;

  bool other_wins(double batch) const {
    const Usage usage{batch, nodes};
    return sample_seconds(workload, other, usage, efficiency) <
           sample_seconds(workload, first, usage, efficiency);
  }
  /// The batch size next to `lost` towards `won`, where the other begins to win.
  double boundary(double lost, double won) const {
    while (std::abs(won - lost) > 1) {
      const double middle = std::floor((won + lost) / 2);
      (other_wins(middle) ? won : lost) = middle;
    }
    return won;
  }
  std::optional<double> crossover(double batch) const {
    for (double factor = 2; factor <= kLargestBatch; factor *= 2) {
      const double more = batch * factor, less = std::floor(batch / factor);
      if (more <= kLargestBatch && other_wins(more)) return boundary(more / 2, more);
      if (less >= 1 && other_wins(less)) return boundary(std::floor(2 * batch / factor), less);
    }
    return std::nullopt;
  }
};

MachineAdvice advise_one(const Workload& workload, const MachineSpec& machine, const Usage& usage,
                         const Efficiency& efficiency) {
  MachineAdvice advice;
  advice.machine = machine;
  advice.step = step_cost(workload, machine, usage, efficiency);
  const double steps = std::ceil(workload.epoch_samples / (usage.batch * usage.nodes));
  advice.epoch_seconds = steps * advice.step.seconds;
  if (machine.dollars_per_hour > 0) {
    constexpr double kHour = 3600;
    advice.epoch_dollars = advice.epoch_seconds / kHour * machine.dollars_per_hour * usage.nodes;
  }
  advice.misfit = what_does_not_fit(workload, machine, usage.nodes);
  if (usage.nodes > 1 && machine.network_gbit <= 0) advice.misfit = "has no network";
  // Our engines are for CUDA, which no GPU has run yet (tests/bench/results/devices.md). Devices
  // whose programs are compiled as a whole are IPUs.
  const bool on_device = !workload.tool.empty() && machine.device.exists();
  if (on_device && machine.device.compiled) advice.misfit = workload.tool + " has no engine for it";
  advice.measured = !on_device;
  return advice;
}

}  // namespace

Advice advise(const Workload& workload, const std::vector<MachineSpec>& machines,
              const Usage& usage, const Efficiency& efficiency, Order order) {
  Advice advice{workload, usage, "", {}};
  for (const MachineSpec& machine : machines) {
    advice.machines.push_back(advise_one(workload, machine, usage, efficiency));
  }
  const auto rank = [&](const MachineAdvice& m) {
    const double unpriced = std::numeric_limits<double>::infinity();
    const double wanted =
        order == Order::price ? m.epoch_dollars.value_or(unpriced) : m.epoch_seconds;
    return std::tuple(!m.misfit.empty(), wanted, m.epoch_seconds);
  };
  std::stable_sort(
      advice.machines.begin(), advice.machines.end(),
      [&](const MachineAdvice& a, const MachineAdvice& b) { return rank(a) < rank(b); });
  const MachineSpec first = advice.machines.front().machine;
  for (MachineAdvice& machine : advice.machines) {
    machine.crossover =
        Race{workload, first, machine.machine, usage.nodes, efficiency}.crossover(usage.batch);
  }
  return advice;
}

}  // namespace frugal::probe
