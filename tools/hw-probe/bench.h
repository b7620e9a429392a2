#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "tools/hw-probe/measure.h"

namespace frugal::probe {

struct BenchOptions {
  std::string only;    ///< part of the names of the figures to measure; "" = all
  bool quick = false;  ///< fewer and shorter runs, less memory
  int threads = 1;     ///< for the figures with all threads
  std::uint64_t seed = 0;
};

/// All figures and whether to believe them.
struct BenchResult {
  std::vector<Measurement> figures;
  std::vector<std::string> left_out;  ///< what could not be measured, and why
  std::string cpu_model;
  std::string simd;  ///< the table of kernels in use
  int threads = 1;
  double seconds = 0;
  double steal_share = 0;
  bool noisy = false;
  std::string verdict;  ///< how the machine was judged, one line
};

/// Called before each figure with the number of those done and of all, and its name.
using BenchProgress =
    std::function<void(std::size_t done, std::size_t all, const std::string& what)>;

/// Measures everything that `options` asks for. Fails with usage (2) if no figure has that name.
BenchResult run_benchmarks(const BenchOptions& options, const BenchProgress& progress);

/// Sets `noisy` and `verdict` from the figures and the stolen time.
void judge(BenchResult* result);

}  // namespace frugal::probe
