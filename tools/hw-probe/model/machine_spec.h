#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "libcore/options/option_fields.h"

namespace frugal::probe {

/// Most levels of memory of a processor.
inline constexpr std::size_t kMostLevels = 16;

/// What the cost model knows of one processor: a node's CPUs together, one GPU or one IPU. The
/// lists are the levels of its memory from the smallest on, all of the same length.
struct Processor {
  double f32_gflops = 0;                ///< peak of all units together; 0 = there is no processor
  double bf16_gflops = 0;               ///< the same of 16-bit products; 0 = as f32
  double units = 1;                     ///< cores, multiprocessors or tiles, which work at once
  double tile = 1;                      ///< a unit makes squares of tile x tile results
  std::vector<double> level_bytes;      ///< capacity
  std::vector<double> level_gb_per_s;   ///< of long reads, all units together
  std::vector<double> level_ns;         ///< latency of one dependent read
  std::vector<double> level_in_flight;  ///< independent reads that all units together overlap
  double launch_us = 0;                 ///< cost of starting one kernel
  bool compiled = false;                ///< programs are compiled as a whole: no framework at work

  bool exists() const { return f32_gflops > 0; }
  double memory_bytes() const { return level_bytes.empty() ? 0 : level_bytes.back(); }
};

/// A machine of the catalogue: configs/hardware/NAME.yaml.
struct MachineSpec {
  std::string name;   ///< of its file, or "this"
  std::string title;  ///< one line
  std::string date;   ///< when the figures were looked up
  Processor host, device;
  double link_gb_per_s = 0;     ///< host to device
  double link_us = 0;           ///< latency of one copy
  double network_gbit = 0;      ///< wire of a node; 0 = there is none
  double network_us = 0;        ///< latency of one message
  double dollars_per_hour = 0;  ///< 0 = not priced
  std::string price_date;
  std::vector<std::string>
      estimates;  ///< keys of this file that no data sheet or measurement gives
};

/// The keys of a machine's file, bound to `machine`, which must outlive them.
void describe(const OptionFields& fields, MachineSpec& machine);

/// Fails (usage) with `path` where values contradict each other.
void check(const MachineSpec& machine, const std::string& path);

}  // namespace frugal::probe
