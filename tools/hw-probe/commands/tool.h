#pragma once
#include <string>
#include <vector>

#include "libcore/cli/tool.h"
#include "tools/hw-probe/bench/bench.h"
#include "tools/hw-probe/model/advice.h"

namespace frugal::probe {

struct DetectOptions {
  std::string format = "text";  ///< "text", "json", "env" or "slurm"
  std::string sysroot = "/";
  bool diff = false;  ///< compare the two files
  std::vector<std::string> files;
};

/// Fails (usage) if --json asks for another format than --format.
void check_format(const std::string& format, const Run& run);

struct AdviseOptions {
  std::string workload;
  std::vector<std::string> machines;
  bool allow_noisy = false;
  bool predict = false;  ///< about predictions of a log's model, not about its training
  int nodes = 1;
  double batch = 0;
  Order order = Order::time;
  std::string format = "text";  ///< "text", "flags" or "slurm"
  int epochs = 0;               ///< 0 = the workload's
  std::string until;            ///< METRIC=VALUE of a log's curve; "" = as many epochs as above
  std::string calibration;      ///< "" = the user's own, if any; "none"
  std::string plot;
};

struct CalibrateOptions {
  std::vector<std::string> logs;
  std::vector<std::string> held_out;
  std::string machine = "this";
  bool allow_noisy = false;
  std::string output;  ///< "" = the user's own
};

/// All options of the program; the tool writes into them while it parses.
struct HwProbeOptions {
  DetectOptions detect;
  BenchOptions bench;
  AdviseOptions advise;
  CalibrateOptions calibrate;
};

Command advise_command(AdviseOptions& options);
Command calibrate_command(CalibrateOptions& options);

/// The tool's commands, bound to `options`, which must outlive it.
Tool hw_probe_tool(HwProbeOptions& options);

}  // namespace frugal::probe
