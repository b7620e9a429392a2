#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "tools/hw-probe/bench/measure.h"

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
  /// Capacity of each level of the memory that /all threads share or have: "l2" ... "dram".
  std::vector<std::pair<std::string, std::uint64_t>> levels;
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

/// The same figure measured twice: the one whose best run is better.
Measurement better_of(const Measurement& a, const Measurement& b);

/// Measures everything that `options` asks for, peaks at the beginning and at the end: a machine
/// whose clock changes would else bound products with what another clock allowed. Fails with usage
/// (2) if no figure has that name.
BenchResult run_benchmarks(const BenchOptions& options, const BenchProgress& progress);

/// Sets `noisy` and `verdict` from the figures and the stolen time.
void judge(BenchResult* result);

}  // namespace frugal::probe
