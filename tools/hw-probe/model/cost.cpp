#include "tools/hw-probe/model/cost.h"

#include <algorithm>
#include <cmath>

#include "libcore/base/text.h"

namespace frugal::probe {
namespace {

constexpr double kGiga = 1e9, kMicro = 1e-6, kNano = 1e-9;
/// A read moves whole lines.
constexpr double kLine = 64;

double efficiency_of(const std::string& kernel, const Efficiency& efficiency) {
  const auto found = efficiency.find(kernel);
  return found == efficiency.end() ? 1 : found->second;
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

double row_seconds(const Processor& p, double rows, double row_bytes, double table_bytes) {
  const double moved = std::ceil(row_bytes / kLine) * kLine;
  double seconds = 0, held = 0;
  for (std::size_t level = 0; level < p.level_bytes.size(); ++level) {
    const bool last = level + 1 == p.level_bytes.size();
    const double upto = last ? 1 : std::min(1.0, p.level_bytes[level] / std::max(1.0, table_bytes));
    const double latency = p.level_ns[level] * kNano / p.level_in_flight[level];
    seconds += (upto - held) * rows * std::max(latency, moved / (p.level_gb_per_s[level] * kGiga));
    held = upto;
  }
  return seconds;
}

double exchange_seconds(Exchange exchange, double nodes, double bytes, double gbit, double us) {
  if (exchange == Exchange::none || nodes <= 1 || gbit <= 0) return 0;
  constexpr double kUsable = 0.85, kBits = 8;
  const double wire = gbit * kGiga / kBits * kUsable, latency = us * kMicro;
  if (exchange == Exchange::reduce) {
    return 2 * (nodes - 1) / nodes * bytes / wire + 2 * std::ceil(std::log2(nodes)) * latency;
  }
  // Messages of an all-to-all overlap: a quarter of their latency is seen.
  constexpr double kSeen = 0.25;
  return (nodes - 1) / nodes * bytes / wire + (nodes - 1) * latency * kSeen;
}

StageCost stage_cost(const Workload& workload, const Stage& stage, const MachineSpec& machine,
                     const Usage& usage, const Efficiency& efficiency) {
  const bool on_device = machine.device.exists() && !stage.on_host;
  const Processor p = on_device ? with_host_memory(machine) : machine.host;
  const double share = workload.sharded ? 1 / usage.nodes : 1;
  const double batch = usage.batch;
  StageCost cost;
  const auto of = [&](Term term) -> double& {
    return cost.seconds[static_cast<std::size_t>(term)];
  };
  const double speed = efficiency_of(stage.kernel, efficiency);
  of(Term::products) = product_seconds(stage, p, batch) / speed;
  of(Term::long_reads) =
      stream_seconds(p, stage.sample_bytes * batch + stage.step_bytes, stage.bytes_set) / speed;
  of(Term::random_rows) = row_seconds(p, stage.sample_rows * batch + stage.step_rows,
                                      stage.row_bytes, stage.table_bytes * share) /
                          speed;
  const double cores = stage.cores > 0 ? std::min(stage.cores, p.units) : p.units;
  of(Term::program) = stage.sample_core_us * kMicro * batch / cores / speed;
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

StepCost step_cost(const Workload& workload, const MachineSpec& machine, const Usage& usage,
                   const Efficiency& efficiency) {
  StepCost step;
  // Lanes run at the same time on host, link and device; on a CPU alone they share its cores.
  const auto lane_of = [&](const Stage& stage) {
    return machine.device.exists() ? stage.lane : std::string();
  };
  std::map<std::string, double> lanes;
  for (const Stage& stage : workload.stages) {
    step.stages.push_back(stage_cost(workload, stage, machine, usage, efficiency));
    lanes[lane_of(stage)] += step.stages.back().total;
  }
  double own = 0;
  for (const auto& [lane, seconds] : lanes) own = std::max(own, seconds);
  double longest = -1;
  for (std::size_t i = 0; i < step.stages.size(); ++i) {
    const StageCost& cost = step.stages[i];
    const double term = cost.seconds[static_cast<std::size_t>(cost.longest)];
    if (lanes[lane_of(workload.stages[i])] < own || term <= longest) continue;
    longest = term;
    step.bottleneck = workload.stages[i].name + ": " + term_name(cost.longest);
  }
  const double bytes = workload.exchange_bytes + workload.exchange_sample_bytes * usage.batch;
  step.exchange = exchange_seconds(workload.exchange, usage.nodes, bytes, machine.network_gbit,
                                   machine.network_us);
  const double hidden = workload.exchange_overlap;
  step.seconds = std::max(own, step.exchange) * hidden + (own + step.exchange) * (1 - hidden);
  if (step.exchange > own) step.bottleneck = "exchange";
  return step;
}

std::string what_does_not_fit(const Workload& workload, const MachineSpec& machine, double nodes) {
  const double share = workload.sharded ? 1 / nodes : 1;
  const auto missing = [&](const char* what, double bytes, double there) -> std::string {
    if (bytes <= there) return "";
    return std::string(what) + " " + format_bytes(static_cast<std::uint64_t>(bytes)) + ", has " +
           format_bytes(static_cast<std::uint64_t>(there));
  };
  const double state = workload.state_bytes * share, data = workload.host_bytes * share;
  if (!machine.device.exists()) {
    return missing("needs", state + data, machine.host.memory_bytes());
  }
  const std::string device = missing("device needs", state, machine.device.memory_bytes());
  return device.empty() ? missing("host needs", data, machine.host.memory_bytes()) : device;
}

}  // namespace frugal::probe
