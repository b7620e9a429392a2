#include "tools/hw-probe/bench/measure.h"

#include <time.h>

#include <algorithm>
#include <atomic>
#include <cmath>

#include "libcore/base/text.h"
#include "libcore/system/clock.h"
#include "libcore/system/proc_files.h"
#include "libcore/threading/parallel.h"

namespace frugal::probe {
namespace {

struct Timing {
  double wall = 0;
  double cpu = 0;
};

double thread_cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

/// Each thread makes `calls` calls, numbered on from `first`. CPU time is counted by thread: that
/// of the process would include threads of an earlier figure that still wait for work.
Timing run_calls(const Work& work, int first, int calls) {
  std::atomic<double> cpu{0};
  const double start = wall_seconds();
  parallel_threads([&](int thread) {
    const double cpu_start = thread_cpu_seconds();
    for (int call = first; call < first + calls; ++call) work.body->call(thread, call);
    cpu.fetch_add(thread_cpu_seconds() - cpu_start);
  });
  return {wall_seconds() - start, cpu};
}

double quantile(const std::vector<double>& sorted, double q) {
  const double at = q * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  const double fraction = at - static_cast<double>(below);
  return sorted[below] * (1 - fraction) + sorted[above] * fraction;
}

/// Rate of all threads together, or nanoseconds that one thread needs for one load.
double value_of(const Work& work, double wall, int calls) {
  const double per_thread = work.amount * calls;
  return work.unit == "ns" ? wall * 1e9 / per_thread : per_thread * work.threads / wall;
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

Measurement measure(const Work& work, const Repetition& repetition) {
  const ThreadCount count(work.threads);
  work.body->prepare();
  int next_call = 0;
  run_calls(work, next_call++, 1);  // warms caches, branch predictors and the threads
  const double once = std::max(1e-9, run_calls(work, next_call++, 1).wall);
  const int calls = std::max(1, static_cast<int>(std::ceil(repetition.run_seconds / once)));
  const auto wanted = static_cast<int>(repetition.seconds / (once * calls));
  const int runs = std::max(repetition.min_runs, wanted);
  std::vector<double> values;
  Timing total;
  // On a busy machine a run takes far longer than planned: fewer must do, the spread will tell.
  constexpr int kFewestRuns = 3;
  const double deadline = wall_seconds() + 2 * repetition.seconds;
  for (int run = 0; run < runs && (run < kFewestRuns || wall_seconds() < deadline); ++run) {
    const Timing timing = run_calls(work, next_call, calls);
    next_call += calls;
    values.push_back(value_of(work, timing.wall, calls));
    total.wall += timing.wall;
    total.cpu += timing.cpu;
  }
  std::sort(values.begin(), values.end());
  const double median = quantile(values, 0.5);
  const double spread = (quantile(values, 0.75) - quantile(values, 0.25)) / median;
  return {work.name,
          median,
          work.unit == "ns" ? values.front() : values.back(),
          spread,
          work.unit,
          total.cpu / (total.wall * work.threads),
          static_cast<int>(values.size())};
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
