#pragma once
#include <map>
#include <string>
#include <vector>

namespace frugal::probe {

/// Share of the modelled speed that kernels reach.
struct Efficiency {
  std::map<std::string, double> kernels;  ///< by kind of kernel, from `hw-probe calibrate`
  double other = 1;                       ///< of all other kinds

  double of(const std::string& kernel) const;
  /// As of(), but 1 for other kinds: the time of a program's own instructions is a measured one.
  double of_program(const std::string& kernel) const;
};

/// Interval of measured time / predicted time that contains about 80 % of all runs.
struct Interval {
  double low = 1, high = 1;
  double runs = 0;     ///< number of runs that it comes from
  double covered = 0;  ///< share of these runs that an interval of the others contains: of the
                       ///< other machines where they are of several

  bool exists() const { return runs > 0; }
};

/// Fewest runs that an interval of 80 % can be taken from: with fewer, the smallest and the largest
/// ratio enclose less.
inline constexpr std::size_t kFewestRuns = 9;

/// Interval between the order statistics of `ratios` (measured / predicted) that contain a further
/// ratio with a probability of 80 % (conformal prediction: Vovk et al. 2005, section 2.2): the
/// (n + 1)/10-th smallest and largest. Without a run where there are fewer than kFewestRuns.
Interval interval_of(std::vector<double> ratios);

/// Result of `hw-probe calibrate` on a machine.
struct Calibration {
  std::string path;     ///< its file; "" = figures of the model's own benchmark
  std::string machine;  ///< title of the machine that the runs were made on; "" = unknown
  Efficiency efficiency;
  Interval interval;  ///< of runs on that machine
};

/// Efficiency and interval where nothing was calibrated, from the runs of
/// tests/bench/hw-probe/runs.sh (tests/bench/results/hw-probe.md).
Calibration typical_calibration();

/// Interval of another machine than the calibrated one, and of programs that are not ours, from
/// the tables of tests/bench/results/hw-probe.md.
Interval transferred_interval();
Interval published_interval();

}  // namespace frugal::probe
