#pragma once
#include <string>
#include <vector>

#include "libcore/cli/tool.h"
#include "tools/hw-probe/bench.h"

namespace frugal::probe {

struct DetectOptions {
  std::string format = "text";  ///< "text", "json", "env" or "slurm"
  std::string sysroot = "/";
  bool diff = false;  ///< compare the two files
  std::vector<std::string> files;
};

/// All options of the program; the tool writes into them while it parses.
struct HwProbeOptions {
  DetectOptions detect;
  BenchOptions bench;
};

/// The tool's commands, bound to `options`, which must outlive it.
Tool hw_probe_tool(HwProbeOptions& options);

}  // namespace frugal::probe
