#pragma once
#include <memory>
#include <string>
#include <vector>

namespace frugal::probe {

/// One measured quantity.
struct Measurement {
  std::string name;  ///< "gather/256B/dram/huge/1": what, how, where, threads
  double median = 0;
  double best = 0;          ///< of all runs: the highest rate or the shortest time
  double spread = 0;        ///< (third quartile - first quartile) / median
  std::string unit;         ///< "GFLOP/s", "GB/s" or "ns"
  double cpu_per_wall = 0;  ///< CPU seconds for each wall-clock second and thread, at best 1
  int runs = 0;
};

/// How a kernel is repeated.
struct Repetition {
  double seconds = 0.06;       ///< for all runs of one figure, about
  double run_seconds = 0.004;  ///< a run calls the work until it lasts this long
  int min_runs = 7;
};

/// What is repeated.
class WorkBody {
 public:
  virtual ~WorkBody() = default;
  /// Called once before, on one thread: makes and touches memory.
  virtual void prepare() {}
  /// Called on all threads at once with the number of the thread and of the call.
  virtual void call(int thread, int number) = 0;
};

/// A figure still to be measured.
struct Work {
  std::string name;
  std::string unit;   ///< of Measurement
  double amount = 0;  ///< in one call of one thread: of the unit without "/s", or loads for "ns"
  int threads = 1;
  std::unique_ptr<WorkBody> body;
};

/// Of the names of figures with one thread or with all.
std::string thread_suffix(int threads);

/// Runs the work and gives its rate (amount times threads a second) or, for the unit "ns", the time
/// of one load. The first run only warms up.
Measurement measure(const Work& work, const Repetition& repetition);

/// Share of the machine's CPU time that the hypervisor gave to others since the object was made.
class StealMeter {
 public:
  /// root: where /proc is.
  explicit StealMeter(std::string root = "/");
  double share() const;

 private:
  std::string root_;
  double steal_ = 0;
  double total_ = 0;
};

}  // namespace frugal::probe
