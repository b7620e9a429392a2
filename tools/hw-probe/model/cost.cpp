#include "tools/hw-probe/model/cost.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "libcore/base/text.h"

namespace frugal::probe {
namespace {

constexpr double kGiga = 1e9, kMicro = 1e-6, kNano = 1e-9;
/// A read moves whole lines.
constexpr double kLine = 64;

/// Share of a processor's units, with its bandwidth and reads in flight; caches of units are
/// divided, too, but not the memory.
Processor divided(Processor p, double parts) {
  p.f32_gflops /= parts;
  p.bf16_gflops /= parts;
  p.units = std::max(1.0, p.units / parts);
  for (std::size_t level = 0; level < p.level_bytes.size(); ++level) {
    if (level + 1 < p.level_bytes.size()) p.level_bytes[level] /= parts;
    p.level_gb_per_s[level] /= parts;
    p.level_in_flight[level] = std::max(1.0, p.level_in_flight[level] / parts);
  }
  return p;
}

/// The host of one rank.
Processor host_share(const MachineSpec& machine) {
  return machine.device.exists() ? divided(machine.host, machine.devices) : machine.host;
}

/// Tables that a device cannot hold stay in the host's memory, behind the link.
Processor with_host_memory(const MachineSpec& machine) {
  Processor p = machine.device;
  p.level_bytes.push_back(p.memory_bytes() + machine.host.memory_bytes());
  p.level_gb_per_s.push_back(machine.link_gb_per_s);
  p.level_ns.push_back(machine.link_us / kMicro * kNano);
  p.level_in_flight.push_back(p.level_in_flight.back());
  return p;
}

double product_seconds(const Stage& stage, const Processor& p, double batch) {
  const double flop = stage.sample_flop * batch + stage.step_flop;
  const double peak = stage.bf16 && p.bf16_gflops > 0 ? p.bf16_gflops : p.f32_gflops;
  const double rows = stage.product_rows * batch;
  const double share = rows > 0 && stage.product_columns > 0
                           ? fill(rows, stage.product_columns, p.units, p.tile)
                           : 1;
  return flop / (peak * kGiga * share);
}

}  // namespace

const char* term_name(Term term) {
  constexpr const char* kNames[kTerms] = {"products", "long reads", "random rows",
                                          "program",  "launches",   "copies"};
  return kNames[static_cast<std::size_t>(term)];
}

double fill(double m, double n, double units, double tile) {
  const double squares = std::ceil(m / tile) * std::ceil(n / tile);
  const double rounds = std::ceil(squares / units);
  return m * n / (rounds * units * tile * tile);
}

double stream_seconds(const Processor& p, double bytes, double working_set) {
  std::size_t level = 0;
  while (level + 1 < p.level_bytes.size() && p.level_bytes[level] < working_set) ++level;
  return bytes / (p.level_gb_per_s[level] * kGiga);
}

namespace {

/// row_seconds() of each level.
std::vector<double> row_seconds_by_level(const Processor& p, double rows, double row_bytes,
                                         double table_bytes) {
  const double moved = std::ceil(row_bytes / kLine) * kLine;
  std::vector<double> seconds;
  double held = 0;
  for (std::size_t level = 0; level < p.level_bytes.size(); ++level) {
    const bool last = level + 1 == p.level_bytes.size();
    const double upto = last ? 1 : std::min(1.0, p.level_bytes[level] / std::max(1.0, table_bytes));
    const double latency = p.level_ns[level] * kNano / p.level_in_flight[level];
    const double row = std::max(latency, moved / (p.level_gb_per_s[level] * kGiga));
    seconds.push_back((upto - held) * rows * row);
    held = upto;
  }
  return seconds;
}

}  // namespace

double row_seconds(const Processor& p, double rows, double row_bytes, double table_bytes) {
  const std::vector<double> levels = row_seconds_by_level(p, rows, row_bytes, table_bytes);
  return std::accumulate(levels.begin(), levels.end(), 0.0);
}

double num_ranks(const MachineSpec& machine, const Usage& usage) {
  return usage.nodes * (machine.device.exists() ? machine.devices : 1);
}

double exchange_seconds(Exchange exchange, double ranks, double bytes, double gbit, double us) {
  if (exchange == Exchange::none || ranks <= 1 || gbit <= 0) return 0;
  constexpr double kUsable = 0.85, kBits = 8;
  const double wire = gbit * kGiga / kBits * kUsable, latency = us * kMicro;
  if (exchange == Exchange::reduce) {
    return 2 * (ranks - 1) / ranks * bytes / wire + 2 * std::ceil(std::log2(ranks)) * latency;
  }
  // Messages of an all-to-all overlap: a quarter of their latency is seen.
  constexpr double kSeen = 0.25;
  return (ranks - 1) / ranks * bytes / wire + (ranks - 1) * latency * kSeen;
}

namespace {

/// Costs of a stage on one processor. Efficiencies are those of kernels: launches, copies and rows
/// that come over the link take as long as the machine's figures say.
StageCost cost_on(const Processor& p, const Workload& workload, const Stage& stage,
                  const MachineSpec& machine, const Usage& usage, const Efficiency& efficiency) {
  const bool on_device = machine.device.exists() && !stage.on_host;
  const double share = workload.sharded ? 1 / num_ranks(machine, usage) : 1;
  const double batch = usage.batch;
  StageCost cost;
  const auto of = [&](Term term) -> double& {
    return cost.seconds[static_cast<std::size_t>(term)];
  };
  const double speed = efficiency.of(stage.kernel);
  of(Term::products) = product_seconds(stage, p, batch) / speed;
  of(Term::long_reads) =
      stream_seconds(p, stage.sample_bytes * batch + stage.step_bytes, stage.bytes_set) / speed;
  const std::vector<double> rows = row_seconds_by_level(
      p, stage.sample_rows * batch + stage.step_rows, stage.row_bytes, stage.table_bytes * share);
  const double over_link = on_device ? rows.back() : 0;
  const double all_rows = std::accumulate(rows.begin(), rows.end(), 0.0);
  of(Term::random_rows) = (all_rows - over_link) / speed + over_link;
  const double cores = stage.cores > 0 ? std::min(stage.cores, p.units) : p.units;
  of(Term::program) =
      stage.sample_core_us * kMicro * batch / cores / efficiency.of_program(stage.kernel);
  const double launch_us = p.launch_us + (p.compiled ? 0 : workload.launch_us);
  of(Term::launches) = stage.launches * launch_us * kMicro;
  if (on_device) {
    of(Term::copies) = stage.sample_copy_bytes * batch / (machine.link_gb_per_s * kGiga) +
                       stage.copies * machine.link_us * kMicro;
  }
  const auto longest = std::max_element(cost.seconds.begin(), cost.seconds.end());
  cost.longest = static_cast<Term>(longest - cost.seconds.begin());
  cost.total = *std::max_element(cost.seconds.begin(), cost.seconds.begin() + kOverlappingTerms) +
               of(Term::launches) + of(Term::copies);
  return cost;
}

}  // namespace

StageCost stage_cost(const Workload& workload, const Stage& stage, const MachineSpec& machine,
                     const Usage& usage, const Efficiency& efficiency) {
  if (machine.device.exists() && !stage.on_host) {
    StageCost cost =
        cost_on(with_host_memory(machine), workload, stage, machine, usage, efficiency);
    cost.latency = cost.total;
    return cost;
  }
  const Processor host = host_share(machine);
  StageCost cost = cost_on(host, workload, stage, machine, usage, efficiency);
  cost.latency =
      cost_on(divided(host, host.units), workload, stage, machine, usage, efficiency).total;
  return cost;
}

StepCost step_cost(const Workload& workload, const MachineSpec& machine, const Usage& usage,
                   const Efficiency& efficiency) {
  StepCost step;
  // Lanes run at the same time on host, link and device; on a CPU alone they share its cores.
  const auto lane_of = [&](const Stage& stage) {
    return machine.device.exists() ? stage.lane : std::string();
  };
  std::map<std::string, double> lanes, latencies;
  for (const Stage& stage : workload.stages) {
    step.stages.push_back(stage_cost(workload, stage, machine, usage, efficiency));
    lanes[lane_of(stage)] += step.stages.back().total;
    latencies[lane_of(stage)] += step.stages.back().latency;
  }
  const auto slowest = std::max_element(lanes.begin(), lanes.end(),
                                        [](auto& a, auto& b) { return a.second < b.second; });
  const double own = slowest == lanes.end() ? 0 : slowest->second;
  for (const auto& [lane, seconds] : latencies) step.fill += seconds;
  step.fill = machine.device.exists() ? std::max(0.0, step.fill - own) : 0;
  double longest = -1;
  for (std::size_t i = 0; i < step.stages.size(); ++i) {
    const StageCost& cost = step.stages[i];
    const double term = cost.seconds[static_cast<std::size_t>(cost.longest)];
    if (lanes[lane_of(workload.stages[i])] < own || term <= longest) continue;
    longest = term;
    step.bottleneck = workload.stages[i].name + ": " + term_name(cost.longest);
  }
  const double bytes = workload.exchange_bytes + workload.exchange_sample_bytes * usage.batch;
  // The slowest part of a ring sets its pace: the network or, within a machine, the link.
  const bool within = usage.nodes <= 1;
  constexpr double kBits = 8;
  const double gbit = within ? machine.link_gb_per_s * kBits : machine.network_gbit;
  step.exchange = exchange_seconds(workload.exchange, num_ranks(machine, usage), bytes, gbit,
                                   within ? machine.link_us : machine.network_us);
  const double hidden = workload.exchange_overlap;
  step.seconds = std::max(own, step.exchange) * hidden + (own + step.exchange) * (1 - hidden);
  if (step.exchange > own) step.bottleneck = "exchange";
  return step;
}

MemoryNeed memory_need(const Workload& workload, const MachineSpec& machine, const Usage& usage) {
  const double share = workload.sharded ? 1 / num_ranks(machine, usage) : 1;
  const double data = workload.host_bytes * share;
  const double state = workload.state_bytes * share + workload.batch_bytes * usage.batch;
  if (!machine.device.exists()) return {state + data, 0};
  return {data * machine.devices, state};
}

std::string what_does_not_fit(const MemoryNeed& need, const MachineSpec& machine) {
  const auto missing = [](const char* what, double bytes, double there) -> std::string {
    if (bytes <= there) return "";
    return std::string(what) + " " + format_bytes(static_cast<std::uint64_t>(bytes)) + ", has " +
           format_bytes(static_cast<std::uint64_t>(there));
  };
  if (!machine.device.exists()) return missing("needs", need.host, machine.host.memory_bytes());
  const std::string device = missing("device needs", need.device, machine.device.memory_bytes());
  return device.empty() ? missing("host needs", need.host, machine.host.memory_bytes()) : device;
}

}  // namespace frugal::probe
