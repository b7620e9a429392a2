#pragma once
#include <optional>
#include <string>
#include <vector>

#include "tools/hw-probe/machine/machine.h"

namespace frugal::probe {

/// The environment variables of this process, or those of a recorded machine
/// (ROOT/proc/self/environ).
class Environment {
 public:
  explicit Environment(const std::string& root);
  /// Nothing where the variable is missing or empty.
  std::optional<std::string> get(const std::string& name) const;
  /// "NAME=value" of all variables whose name starts with prefix, sorted.
  std::vector<std::string> with_prefix(const std::string& prefix) const;

 private:
  std::vector<std::string> entries_;
};

/// Virtual machine, container and batch system around the process.
Surroundings find_surroundings(const std::string& root, const Environment& environment);

/// Limits that the batch system and OpenMP put on the number of CPUs, by their variables.
std::vector<CpuLimit> environment_cpu_limits(const Environment& environment);

}  // namespace frugal::probe
