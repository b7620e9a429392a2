#include "tools/hw-probe/bench/measure.h"

#include <time.h>

#include <algorithm>
#include <cmath>

#include "libcore/base/text.h"
#include "libcore/system/clock.h"
#include "libcore/system/proc_files.h"
#include "libcore/threading/parallel.h"
#include "libcore/threading/spin_barrier.h"

namespace frugal::probe {
namespace {

/// Times of a run.
struct Timing {
  double wall = 0;      ///< from the start of the first thread to the end of the last
  double cpu = 0;       ///< of all threads together
  double most_cpu = 0;  ///< of the thread that needed most
  bool interrupted = false;
  int calls = 1;
};

double thread_cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

/// Start and end of one thread, by the wall clock and by its CPU time.
struct ThreadTimes {
  double start = 0, end = 0, cpu = 0;
};

constexpr double kCpuLimit = 0.90;
constexpr double kSpreadLimit = 0.10;

Timing timing_of(const std::vector<ThreadTimes>& threads) {
  Timing timing;
  double start = threads.front().start, last_start = start, end = threads.front().end;
  for (const ThreadTimes& thread : threads) {
    start = std::min(start, thread.start);
    last_start = std::max(last_start, thread.start);
    end = std::max(end, thread.end);
    timing.cpu += thread.cpu;
    timing.most_cpu = std::max(timing.most_cpu, thread.cpu);
    if (thread.cpu < kCpuLimit * (thread.end - thread.start)) timing.interrupted = true;
  }
  timing.wall = end - start;
  if (last_start - start > (1 - kCpuLimit) * timing.wall) timing.interrupted = true;
  return timing;
}

/// Each thread makes `calls` calls, numbered on from `first`, beginning when all are there: waking
/// them takes longer than some works do.
Timing run_calls(const Work& work, int first, int calls) {
  std::vector<ThreadTimes> times(static_cast<std::size_t>(num_threads()));
  SpinBarrier all_there(num_threads());
  parallel_threads([&](int thread) {
    all_there.guard([&] {
      all_there.arrive_and_wait();
      const double start = wall_seconds(), cpu_start = thread_cpu_seconds();
      for (int call = first; call < first + calls; ++call) work.body->call(thread, call);
      times[static_cast<std::size_t>(thread)] = {start, wall_seconds(),
                                                 thread_cpu_seconds() - cpu_start};
    });
  });
  return timing_of(times);
}

double quantile(const std::vector<double>& sorted, double q) {
  const double at = q * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  const double fraction = at - static_cast<double>(below);
  return sorted[below] * (1 - fraction) + sorted[above] * fraction;
}

bool by_cpu_clock(const Work& work) { return work.threads == 1 && !work.waits; }

/// Rate of all threads together, or nanoseconds that one thread needs for one load.
double value_of(const Work& work, const Timing& timing) {
  const double seconds = std::max(1e-9, by_cpu_clock(work) ? timing.cpu : timing.wall);
  const double per_thread = work.amount * timing.calls;
  return work.unit == "ns" ? seconds * 1e9 / per_thread : per_thread * work.threads / seconds;
}

/// Puts the number of threads back.
class ThreadCount {
 public:
  explicit ThreadCount(int threads) : before_(num_threads()) { set_num_threads(threads); }
  ~ThreadCount() { set_num_threads(before_); }
  ThreadCount(const ThreadCount&) = delete;
  ThreadCount& operator=(const ThreadCount&) = delete;

 private:
  int before_;
};

}  // namespace

std::string thread_suffix(int threads) { return threads == 1 ? "/1" : "/all"; }

bool is_unsteady(const Measurement& figure) {
  return figure.spread > kSpreadLimit || (!figure.cpu_clock && figure.cpu_per_wall < kCpuLimit);
}

namespace {

/// Measures one work; numbers its calls on from run to run.
class Series {
 public:
  Series(const Work& work, const Repetition& repetition) : work_(work), repetition_(repetition) {
    run(1);  // warms caches, branch predictors and the threads
    find_calls();
  }

  /// One series of runs.
  Measurement measure() {
    std::vector<Timing> kept, all;
    const double start = wall_seconds();
    double seconds = 0;
    while (!enough(kept, all, seconds, wall_seconds() - start)) {
      all.push_back(run(calls_));
      if (by_cpu_clock(work_) || work_.waits || !all.back().interrupted) {
        kept.push_back(all.back());
        seconds += time_of(kept.back());
      } else if (all.back().cpu > kShortestRun * work_.threads) {
        calls_ = std::max(1, calls_ / 2);  // a shorter run may fit between two interruptions
      }
    }
    const bool few = kept.size() < kFewestRuns;
    Measurement figure = summary(few ? all : kept);
    figure.interrupted = static_cast<int>(all.size() - kept.size());
    return figure;
  }

 private:
  static constexpr std::size_t kFewestRuns = 3;
  static constexpr double kShortestRun = 0.0005;  ///< CPU seconds of a thread

  Timing run(int calls) {
    Timing timing = run_calls(work_, next_call_, calls);
    timing.calls = calls;
    next_call_ += calls;
    return timing;
  }

  double time_of(const Timing& timing) const {
    return by_cpu_clock(work_) ? timing.cpu : timing.wall;
  }

  /// Doubles the calls of a run until it takes a quarter of the wanted time. CPU time decides: a
  /// thread that waits for its CPU would seem to need few calls.
  void find_calls() {
    double once = 0;
    for (int calls = 1;; calls *= 2) {
      const Timing timing = run(calls);
      const double seconds = std::max(1e-9, work_.waits ? timing.wall : timing.most_cpu);
      once = seconds / calls;
      if (4 * seconds >= repetition_.run_seconds) break;
    }
    calls_ = std::max(1, static_cast<int>(std::ceil(repetition_.run_seconds / once)));
  }

  /// Whether the runs suffice, or the series has taken twice its time on a busy machine.
  bool enough(const std::vector<Timing>& kept, const std::vector<Timing>& all, double seconds,
              double elapsed) const {
    if (all.size() < kFewestRuns) return false;
    if (elapsed > 2 * repetition_.seconds) return true;
    return kept.size() >= static_cast<std::size_t>(repetition_.min_runs) &&
           seconds >= repetition_.seconds;
  }

  Measurement summary(const std::vector<Timing>& runs) const {
    std::vector<double> values;
    Timing total;
    for (const Timing& timing : runs) {
      values.push_back(value_of(work_, timing));
      total.wall += timing.wall;
      total.cpu += timing.cpu;
    }
    std::sort(values.begin(), values.end());
    Measurement figure;
    figure.name = work_.name;
    figure.median = quantile(values, 0.5);
    figure.best = work_.unit == "ns" ? values.front() : values.back();
    figure.spread = (quantile(values, 0.75) - quantile(values, 0.25)) / figure.median;
    figure.unit = work_.unit;
    figure.cpu_per_wall = total.cpu / (total.wall * work_.threads);
    figure.runs = static_cast<int>(values.size());
    figure.cpu_clock = by_cpu_clock(work_);
    return figure;
  }

  const Work& work_;
  const Repetition& repetition_;
  int next_call_ = 0;
  int calls_ = 1;
};

/// Order of trust: a steady figure before an unsteady one, then the one that spreads less.
bool is_steadier(const Measurement& a, const Measurement& b) {
  return is_unsteady(a) != is_unsteady(b) ? is_unsteady(b) : a.spread < b.spread;
}

}  // namespace

Measurement measure(const Work& work, const Repetition& repetition) {
  constexpr int kMostRepeats = 4;
  const ThreadCount count(work.threads);
  const PlacedThreads placed(work.places);
  work.body->prepare();
  Series series(work, repetition);
  Measurement result = series.measure();
  int repeats = 0;
  while (is_unsteady(result) && repeats < kMostRepeats && wall_seconds() < repetition.until) {
    const Measurement again = series.measure();
    const double best = better_of(result, again).best;
    if (is_steadier(again, result)) result = again;
    result.best = best;
    result.repeats = ++repeats;
  }
  return result;
}

Measurement better_of(const Measurement& a, const Measurement& b) {
  const bool better = a.unit == "ns" ? b.best < a.best : b.best > a.best;
  return better ? b : a;
}

namespace {

/// Ticks of the first line of /proc/stat: user nice system idle iowait irq softirq steal.
void read_ticks(const std::string& root, double* steal, double* total) {
  constexpr std::size_t kStealColumn = 8;
  const std::string stat = read_proc_file(root, "/proc/stat").value_or("");
  const std::string_view line = std::string_view(stat).substr(0, stat.find('\n'));
  *steal = *total = 0;
  std::size_t column = 0;
  for (const std::string_view field : split(line, ' ')) {
    if (field.empty()) continue;
    const double ticks = parse_number<double>(field).value_or(0);
    if (column <= kStealColumn) *total += ticks;
    if (column == kStealColumn) *steal = ticks;
    ++column;
  }
}

}  // namespace

StealMeter::StealMeter(std::string root) : root_(std::move(root)) {
  read_ticks(root_, &steal_, &total_);
}

double StealMeter::share() const {
  double steal = 0, total = 0;
  read_ticks(root_, &steal, &total);
  return total > total_ ? (steal - steal_) / (total - total_) : 0;
}

}  // namespace frugal::probe
