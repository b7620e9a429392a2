#pragma once
#include <algorithm>
#include <string>
#include <vector>

#include "libcore/system/clock.h"

namespace frugal::bench {

/// What one case did per call, for the rates, and the machine's limit that it is held against.
struct Work {
  std::string name, isa, size;
  double items = 1;  ///< ns are given per item
  double flop = 0;   ///< 0: the case is bound by memory
  double bytes = 0;
  double peak_gflops = 0;  ///< 0: unknown
};

void print_line(const Work& work, double best_seconds, double median_seconds);

/// --quick: each case once, to see that it runs.
inline bool quick = false;
/// --case TEXT: only the cases whose name holds it.
inline std::string wanted;

/// Runs call() in samples of about 3 ms and prints the best and the median, in CPU time: other
/// processes on the machine cost caches and clock rate, but not the time itself.
template <class Call>
void measure(const Work& work, Call call) {
  if (work.name.find(wanted) == std::string::npos) return;
  call();
  double begin = cpu_seconds();
  call();
  const double once = std::max(cpu_seconds() - begin, 1e-7);
  const int calls = quick ? 1 : std::max(1, static_cast<int>(3e-3 / once));
  std::vector<double> seconds(quick ? 1 : 31);
  for (double& sample : seconds) {
    begin = cpu_seconds();
    for (int i = 0; i < calls; ++i) call();
    sample = (cpu_seconds() - begin) / calls;
  }
  std::sort(seconds.begin(), seconds.end());
  print_line(work, seconds.front(), seconds[seconds.size() / 2]);
}

}  // namespace frugal::bench
