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
  return step_cost(workload, machine, usage, efficiency).seconds /
         (usage.batch * num_ranks(machine, usage));
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

/// Interval of runs on a machine: the calibration's on its own machine, a wider one elsewhere.
Interval interval_for(const Workload& workload, const MachineSpec& machine,
                      const Calibration& calibration) {
  if (workload.tool.empty()) return published_interval();
  const auto is_calibrated = [&](const Stage& stage) {
    return calibration.efficiency.kernels.contains(stage.kernel);
  };
  const auto& stages = workload.stages;
  if (!std::any_of(stages.begin(), stages.end(), is_calibrated)) {
    return typical_calibration().interval;
  }
  const bool is_own = machine.title == calibration.machine && calibration.interval.exists();
  return is_own ? calibration.interval : transferred_interval();
}

/// Time before the first epoch, on all cores of a machine.
double setup_seconds(const Workload& workload, const MachineSpec& machine, const Usage& usage) {
  constexpr double kMicro = 1e-6;
  return workload.setup_core_us * kMicro * workload.epoch_samples /
         (machine.host.units * usage.nodes);
}

/// Whether our tool can compute on a machine's device, and has done so. Our engines are for CUDA,
/// which no GPU has run yet (tests/bench/results/devices.md). Devices whose programs are compiled
/// as a whole are IPUs.
void check_engine(const Workload& workload, MachineAdvice* advice) {
  const Processor& device = advice->machine.device;
  const auto& stages = workload.stages;
  const bool all_on_host =
      std::all_of(stages.begin(), stages.end(), [](const Stage& s) { return s.on_host; });
  const bool on_device = !workload.tool.empty() && device.exists() && !all_on_host;
  if (on_device && device.compiled) advice->misfit = workload.tool + " has no engine for it";
  advice->measured = !on_device;
}

MachineAdvice advise_one(const Advice& advice, const MachineSpec& machine) {
  const Workload& workload = advice.workload;
  Usage usage = advice.usage;
  MachineAdvice one;
  one.machine = machine;
  // Ranks share the samples of an epoch.
  usage.batch =
      std::min(usage.batch, std::ceil(workload.epoch_samples / num_ranks(machine, usage)));
  one.step = step_cost(workload, machine, usage, advice.calibration.efficiency);
  one.ranks = num_ranks(machine, usage);
  const double steps = std::ceil(workload.epoch_samples / (usage.batch * one.ranks));
  const double epoch = steps * one.step.seconds + one.step.fill;
  const double job = setup_seconds(workload, machine, usage) +
                     advice.epochs * epoch * (1 + workload.validation_share);
  const Interval interval = interval_for(workload, machine, advice.calibration);
  const Range factors{1, interval.low, interval.high};
  one.epoch_seconds = factors * epoch;
  one.job_seconds = factors * job;
  constexpr double kHour = 3600, kWatts = 1000;
  if (machine.dollars_per_hour > 0) {
    const double rate = machine.dollars_per_hour * usage.nodes / kHour;
    one.epoch_dollars = one.epoch_seconds * rate;
    one.job_dollars = one.job_seconds * rate;
  }
  if (machine.watts > 0) {
    one.job_kwh = one.job_seconds * (machine.watts * usage.nodes / kHour / kWatts);
  }
  one.memory = memory_need(workload, machine, usage);
  one.misfit = what_does_not_fit(one.memory, machine);
  if (usage.nodes > 1 && machine.network_gbit <= 0) one.misfit = "has no network";
  check_engine(workload, &one);
  return one;
}

/// Marks the machines that no other one beats in both time and price.
void mark_efficient(std::vector<MachineAdvice>* machines) {
  for (MachineAdvice& one : *machines) {
    const auto beats = [&](const MachineAdvice& other) {
      return other.misfit.empty() && other.job_dollars &&
             other.job_seconds.value <= one.job_seconds.value &&
             other.job_dollars->value <= one.job_dollars->value &&
             (other.job_seconds.value < one.job_seconds.value ||
              other.job_dollars->value < one.job_dollars->value);
    };
    one.efficient = one.misfit.empty() && one.job_dollars &&
                    std::none_of(machines->begin(), machines->end(), beats);
  }
}

}  // namespace

Range operator*(const Range& range, double factor) {
  return {range.value * factor, range.low * factor, range.high * factor};
}

Advice advise(const Workload& workload, const std::vector<MachineSpec>& machines,
              const Usage& usage, double epochs, const Calibration& calibration, Order order) {
  Advice advice{workload, usage, epochs, calibration, std::nullopt, {}};
  for (const MachineSpec& machine : machines) {
    advice.machines.push_back(advise_one(advice, machine));
  }
  const auto rank = [&](const MachineAdvice& m) {
    const double unpriced = std::numeric_limits<double>::infinity();
    const double wanted = order == Order::time ? m.job_seconds.value
                          : m.job_dollars      ? m.job_dollars->value
                                               : unpriced;
    return std::tuple(!m.misfit.empty(), !m.measured, wanted, m.job_seconds.value);
  };
  std::stable_sort(
      advice.machines.begin(), advice.machines.end(),
      [&](const MachineAdvice& a, const MachineAdvice& b) { return rank(a) < rank(b); });
  mark_efficient(&advice.machines);
  const MachineSpec first = advice.machines.front().machine;
  for (MachineAdvice& one : advice.machines) {
    one.crossover =
        Race{workload, first, one.machine, usage.nodes, calibration.efficiency}.crossover(
            usage.batch);
  }
  return advice;
}

}  // namespace frugal::probe
