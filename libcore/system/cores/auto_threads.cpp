#include "libcore/system/cores/auto_threads.h"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "libcore/base/error.h"
#include "libcore/base/text.h"
#include "libcore/system/cores/cpu_speeds.h"
#include "libcore/system/proc_files.h"

namespace frugal {
namespace {

constexpr int kMaxThreads = 4096;
constexpr const char* kOneEach = "one for each usable CPU";

std::optional<int> thread_count(std::string_view text) {
  const auto n = parse_number<int>(text);
  return n && *n >= 1 && *n <= kMaxThreads ? n : std::nullopt;
}

/// Speed of each of two threads that share a core, relative to one that has it alone.
constexpr double kSharedCore = 0.55;

/// A number of threads and the pace of the slowest of them.
struct Pace {
  std::size_t threads = 0;
  double slowest = 0;
  double total() const { return static_cast<double>(threads) * slowest; }
};

/// The best number of threads, at most `most`, by the speeds of the CPUs they would run on.
Pace best_pace(std::vector<double> speeds, std::size_t most) {
  std::sort(speeds.begin(), speeds.end(), std::greater<>());
  Pace best;
  for (std::size_t k = 1; k <= std::min(most, speeds.size()); ++k) {
    const Pace pace{k, speeds[k - 1]};
    if (pace.total() > best.total()) best = pace;
  }
  return best;
}

std::string comparison(const Pace& chosen, const Pace& other) {
  return std::to_string(chosen.threads) + " threads at " + format_number(chosen.slowest, 2) +
         " times the speed of the fastest core do more than " + std::to_string(other.threads) +
         " at " + format_number(other.slowest, 2) +
         " times; work is split evenly, so the slowest thread sets the pace; computed, not "
         "measured";
}

/// The choice between one thread a core and a thread on every CPU.
ThreadChoice choose_on_kinds(const std::string& root, const std::vector<CpuSpeed>& speeds,
                             const UsableCpus& usable) {
  const auto most = static_cast<std::size_t>(usable.count);
  std::map<std::string, std::vector<double>> cores;
  for (const CpuSpeed& cpu : speeds) cores[cpus_of_core(root, cpu.cpu)].push_back(cpu.speed);
  std::vector<double> alone, each;
  for (const auto& [siblings, threads] : cores) {
    alone.push_back(threads.front());
    for (const double speed : threads) {
      each.push_back(threads.size() > 1 ? speed * kSharedCore : speed);
    }
  }
  const Pace on_cores = best_pace(alone, most), on_all = best_pace(each, most);
  const Pace best = on_all.total() > on_cores.total() ? on_all : on_cores;
  const double slowest = *std::min_element(each.begin(), each.end());
  const Pace all{std::min(most, each.size()), slowest};
  const double fastest = *std::max_element(alone.begin(), alone.end());
  const auto fast_cores = std::count_if(
      alone.begin(), alone.end(), [&](double speed) { return speed >= kSlowerCore * fastest; });
  const Pace fast{static_cast<std::size_t>(fast_cores), fastest};
  if (best.threads == most && most <= fast.threads) return {usable.count, kOneEach};
  return {static_cast<int>(best.threads),
          comparison(best, best.threads < all.threads ? all : fast)};
}

}  // namespace

ThreadChoice choose_threads(const std::string& root, const UsableCpus& usable) {
  const auto speeds = cpu_speeds(root, usable.cpus);
  const bool alike = std::all_of(speeds.begin(), speeds.end(),
                                 [](const CpuSpeed& cpu) { return cpu.speed >= kSlowerCore; });
  if (alike) return {usable.count, kOneEach};
  return choose_on_kinds(root, speeds, usable);
}

ThreadChoice automatic_threads(const std::string& root) {
  if (const auto own = proc_variable(root, "FRUGAL_THREADS");
      own && !own->empty() && *own != "auto") {
    if (const auto n = thread_count(*own)) return {*n, "FRUGAL_THREADS"};
    fail(ExitStatus::usage, "FRUGAL_THREADS: expected a number from 1 to ", kMaxThreads,
         ", found '", printable(*own), "'");
  }
  // OpenMP allows a list, one number for each level of nesting, and ignores what it cannot read.
  if (const auto openmp = proc_variable(root, "OMP_NUM_THREADS")) {
    if (const auto n = thread_count(trim(split(*openmp, ',').front()))) {
      return {*n, "OMP_NUM_THREADS"};
    }
  }
  UsableCpus usable = usable_cpus(root);
  if (const auto slurm = proc_variable(root, "SLURM_CPUS_PER_TASK")) {
    if (const auto n = thread_count(*slurm)) usable.count = std::min(*n, usable.count);
  }
  return choose_threads(root, usable);
}

int resolve_threads(const std::string& option) {
  if (option == "auto") return automatic_threads().threads;
  if (const auto n = thread_count(option)) return *n;
  fail(ExitStatus::usage, "--threads: expected a number from 1 to ", kMaxThreads,
       " or auto, found '", printable(option), "'");
}

}  // namespace frugal
