#pragma once
#include <memory>
#include <string>
#include <vector>

#include "tools/hw-probe/bench/placement.h"

namespace frugal::probe {

/// One measured quantity.
struct Measurement {
  std::string name;  ///< "gather/256B/dram/huge/1": work, size, level of memory, pages, threads
  double median = 0;
  double best = 0;          ///< best of all runs: the highest rate or the shortest time
  double spread = 0;        ///< (third quartile - first quartile) / median
  std::string unit;         ///< "GFLOP/s", "GB/s" or "ns"
  double cpu_per_wall = 0;  ///< CPU seconds per wall-clock second and thread; at best 1
  int runs = 0;
  bool cpu_clock = false;  ///< timed by the thread's CPU time, else by the wall clock
  int interrupted = 0;     ///< runs left out because a thread lost its CPU
  int repeats = 0;         ///< how often the figure was measured again because it was unsteady
};

/// Whether the figure must not be trusted: its runs spread by more than 10 %, or they are timed by
/// the wall clock and their threads got less than 90 % of their CPUs.
bool is_unsteady(const Measurement& figure);

/// Number and duration of a kernel's runs.
struct Repetition {
  double seconds = 0.06;       ///< approximate time of all runs of a figure
  double run_seconds = 0.004;  ///< least duration of a run, which repeats the work
  int min_runs = 7;
  double until = 0;  ///< wall_seconds() up to which an unsteady figure is measured again
};

/// The work that is measured.
class WorkBody {
 public:
  virtual ~WorkBody() = default;
  /// Called once before all runs, on one thread. Allocates and touches memory.
  virtual void prepare() {}
  /// Called on all threads concurrently, with the numbers of the thread and of the call.
  virtual void call(int thread, int number) = 0;
};

/// A figure to be measured.
struct Work {
  std::string name;
  std::string unit;  ///< as in Measurement
  /// work of one call in one thread: in the unit without "/s", or number of loads for "ns"
  double amount = 0;
  int threads = 1;
  std::unique_ptr<WorkBody> body;
  Places places = {};  ///< CPUs that the threads stay on
  bool waits = false;  ///< for a device: CPU time says nothing
};

/// Returns the better of two measurements of the same figure, by the best run.
Measurement better_of(const Measurement& a, const Measurement& b);

/// Suffix of a figure's name: with one thread, or with all.
std::string thread_suffix(int threads);

/// Measures the work's rate (amount times threads per second) or, for the unit "ns", the time of
/// one load. The first runs only warm up and find how many calls a run needs.
///
/// One thread is timed by its CPU time, which other programs on the same CPU do not lengthen.
/// Several threads must work at the same time: the wall clock runs from the start of the first to
/// the end of the last. Runs in which one of them waited for its CPU are left out if enough others
/// remain; if not, they count. After an unsteady series of runs another one is measured until
/// Repetition::until, four at most. The steadiest series is returned, with the best run of all.
Measurement measure(const Work& work, const Repetition& repetition);

/// Measures the share of the machine's CPU time that the hypervisor gave to others (steal time)
/// since the object was made.
class StealMeter {
 public:
  /// root: folder that contains /proc.
  explicit StealMeter(std::string root = "/");
  double share() const;

 private:
  std::string root_;
  double steal_ = 0;
  double total_ = 0;
};

}  // namespace frugal::probe
