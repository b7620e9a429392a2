#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "libcore/system/topology.h"
#include "tools/hw-probe/bench/measure.h"

namespace frugal::probe {

struct BenchOptions {
  std::string only;    ///< part of the names of the figures to measure; "" = all
  bool quick = false;  ///< fewer and shorter runs, less memory
  int threads = 1;     ///< for the figures with all threads
  std::uint64_t seed = 0;
};

/// All figures, and a judgement of their reliability.
struct BenchResult {
  std::vector<Measurement> figures;
  std::vector<std::string> left_out;  ///< figures that could not be measured, and why
  /// Capacity of each level of memory, shared by or summed over all threads: "l2" ... "dram".
  std::vector<std::pair<std::string, std::uint64_t>> levels;
  std::string cpu_model;
  std::string simd;  ///< table of kernels in use
  int threads = 1;
  double seconds = 0;
  double steal_share = 0;
  bool noisy = false;
  std::string verdict;  ///< judgement of the machine in one line
};

/// Called before each figure with its name, the number of figures done, and of all.
using BenchProgress =
    std::function<void(std::size_t done, std::size_t all, const std::string& what)>;

/// Measures everything that `options` asks for on the machine that `topology` describes. Peaks are
/// measured at the beginning and at the end: if a machine's clock changes, products would otherwise
/// be compared with the peak of another clock. Fails (usage) if no figure has that name.
BenchResult run_benchmarks(const BenchOptions& options, const Topology& topology,
                           const BenchProgress& progress);
/// Measures this machine.
BenchResult run_benchmarks(const BenchOptions& options, const BenchProgress& progress);

/// Sets `noisy` and `verdict` from the figures and the stolen time.
void judge(BenchResult* result);

}  // namespace frugal::probe
