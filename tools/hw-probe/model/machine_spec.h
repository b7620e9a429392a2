#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "libcore/options/option_fields.h"

namespace frugal::probe {

/// Most levels of memory of a processor.
inline constexpr std::size_t kMostLevels = 16;

/// Properties of a processor in the cost model: a node's CPUs together, one GPU or one IPU. The
/// lists have an entry for each level of its memory, from the smallest on.
struct Processor {
  double f32_gflops = 0;                ///< peak of all units together; 0 = there is no processor
  double bf16_gflops = 0;               ///< peak of 16-bit products; 0 = as f32
  double units = 1;                     ///< cores, multiprocessors or tiles, which work in parallel
  double tile = 1;                      ///< a unit computes squares of tile x tile results
  std::vector<double> level_bytes;      ///< capacity
  std::vector<double> level_gb_per_s;   ///< bandwidth of sequential reads, all units together
  std::vector<double> level_ns;         ///< latency of one dependent read
  std::vector<double> level_in_flight;  ///< independent reads in flight, all units together
  double launch_us = 0;                 ///< cost of starting one kernel
  bool compiled = false;  ///< programs are compiled as a whole, without framework overhead

  bool exists() const { return f32_gflops > 0; }
  double memory_bytes() const { return level_bytes.empty() ? 0 : level_bytes.back(); }
};

/// A machine of the catalogue: configs/hardware/NAME.yaml.
struct MachineSpec {
  std::string name;   ///< name of its file, or "this"
  std::string title;  ///< one line
  std::string date;   ///< date of the figures
  Processor host, device;
  double devices = 1;           ///< number of equal devices that share the host
  double link_gb_per_s = 0;     ///< host to device
  double link_us = 0;           ///< latency of one copy
  double network_gbit = 0;      ///< network bandwidth of a node; 0 = no network
  double network_us = 0;        ///< latency of one message
  double dollars_per_hour = 0;  ///< 0 = no price
  std::string price_date;
  double watts = 0;  ///< power of host and devices under load; 0 = not published
  std::vector<std::string>
      estimates;  ///< keys of the file whose values are neither from a data sheet nor measured
};

/// Describes the keys of a machine's file, bound to `machine`, which must outlive them.
void describe(const OptionFields& fields, MachineSpec& machine);

/// Fails (usage) with `path` if values contradict each other.
void check(const MachineSpec& machine, const std::string& path);

}  // namespace frugal::probe
