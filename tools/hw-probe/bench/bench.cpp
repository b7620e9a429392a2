#include "tools/hw-probe/bench/bench.h"

#include <algorithm>
#include <iterator>
#include <sstream>

#include "libcore/base/error.h"
#include "libcore/base/text.h"
#include "libcore/kernels/gemm.h"
#include "libcore/kernels/kernels.h"
#include "libcore/system/clock.h"
#include "libcore/system/cpu.h"
#include "libcore/system/limits.h"
#include "tools/hw-probe/bench/bench_access.h"
#include "tools/hw-probe/bench/bench_compute.h"
#include "tools/hw-probe/bench/bench_device.h"
#include "tools/hw-probe/bench/bench_memory.h"

namespace frugal::probe {
namespace {

void append(std::vector<Work> more, std::vector<Work>* works) {
  works->insert(works->end(), std::make_move_iterator(more.begin()),
                std::make_move_iterator(more.end()));
}

std::vector<WorkingSet> only_dram(const std::vector<WorkingSet>& sets) { return {sets.back()}; }

/// Samples, hashes and chains overwrite the zeros of the memory with numbers that the f32 kernels
/// would take for denormals: they come last.
std::vector<Work> all_works(const BenchOptions& options, const std::vector<WorkingSet>& sets,
                            LazyMemory* huge, LazyMemory* small) {
  std::vector<Work> works = peak_works(options.threads);
  append(product_works(options.threads), &works);
  append(compression_works(options.threads), &works);
  append(bandwidth_works(sets, options.threads, huge), &works);
  append(gather_works(sets, options.threads, huge, options.seed), &works);
  append(gather_works(sets, options.threads, small, options.seed), &works);
  append(sampling_works(sets, options.threads, huge, options.seed), &works);
  append(hash_works(sets, options.threads, huge, options.seed), &works);
  append(chain_works(sets, huge), &works);
  append(chain_works(only_dram(sets), small), &works);
  append(peak_works(options.threads), &works);
  return works;
}

void add_figure(const Measurement& figure, std::vector<Measurement>* figures) {
  for (Measurement& before : *figures) {
    if (before.name == figure.name) {
      before = better_of(before, figure);
      return;
    }
  }
  figures->push_back(figure);
}

void keep_wanted(const std::string& only, std::vector<Work>* works) {
  std::erase_if(*works,
                [&](const Work& work) { return work.name.find(only) == std::string::npos; });
  if (works->empty()) {
    fail(ExitStatus::usage, "--only: no figure has '", printable(only),
         "' in its name; kinds of figures: peak, gemm, zstd, bandwidth, gather, sample, hash, "
         "chain, device");
  }
}

std::size_t largest(const std::vector<WorkingSet>& sets) {
  std::size_t bytes = 0;
  for (const WorkingSet& set : sets) bytes = std::max(bytes, set.bytes);
  return bytes;
}

/// On a busy machine the figures that come after this many seconds are measured as with --quick.
constexpr double kFullCareSeconds = 7;
constexpr Repetition kCareful{0.05, 0.004, 7};
constexpr Repetition kQuick{0.002, 0.0005, 3};
/// Many short runs: on a busy machine some fit between two interruptions.
constexpr Repetition kPeaks{0.1, 0.0005, 7};

const Repetition& repetition_of(const Work& work, bool quick) {
  if (quick) return kQuick;
  return work.name.starts_with("peak/") ? kPeaks : kCareful;
}

constexpr double kSpreadLimit = 0.10;
constexpr double kCpuLimit = 0.90;
constexpr double kStealLimit = 0.02;
constexpr double kNoisyShare = 0.25;

bool is_noisy(const Measurement& figure) {
  return figure.spread > kSpreadLimit || figure.cpu_per_wall < kCpuLimit;
}

}  // namespace

void judge(BenchResult* result) {
  const auto noisy = std::count_if(result->figures.begin(), result->figures.end(), is_noisy);
  const auto all = static_cast<double>(result->figures.size());
  const bool many_noisy = static_cast<double>(noisy) > kNoisyShare * all;
  result->noisy = many_noisy || result->steal_share > kStealLimit;
  std::ostringstream text;
  text.precision(2);
  text << (result->noisy ? "too noisy to trust: " : "quiet enough: ") << noisy << " of "
       << result->figures.size() << " figures spread by more than 10 % or got less than 90 % of "
       << "their CPUs, " << 100 * result->steal_share << " % of the time was stolen";
  result->verdict = text.str();
}

Measurement better_of(const Measurement& a, const Measurement& b) {
  const bool higher = a.unit == "ns" ? b.best < a.best : b.best > a.best;
  return higher ? b : a;
}

BenchResult run_benchmarks(const BenchOptions& options, const BenchProgress& progress) {
  const Topology topology = read_topology();
  const auto sets = working_sets(topology, memory_available(), options.quick);
  // Each thread has its own set in the caches that cores have for themselves.
  const std::size_t bytes =
      std::max(largest(sets), sets[1].bytes * static_cast<std::size_t>(options.threads));
  LazyMemory huge(bytes, true), small(bytes, false);
  std::vector<Work> works = all_works(options, sets, &huge, &small);
  std::string no_device;
  append(device_works(&no_device), &works);
  keep_wanted(options.only, &works);
  BenchResult result;
  result.cpu_model = cpu_model();
  result.simd = kernels().name;
  result.threads = options.threads;
  result.levels = level_capacities(topology, sets, options.threads);
  if (!bf16_products_available()) {
    result.left_out.push_back(
        "bf16 products: neither AVX512_BF16 nor AMX may be used; see hw-probe detect");
  }
  if (!no_device.empty()) result.left_out.push_back("copies to a device: " + no_device);
  const double start = wall_seconds();
  const StealMeter steal;
  for (std::size_t i = 0; i < works.size(); ++i) {
    progress(i, works.size(), works[i].name);
    const bool quick = options.quick || wall_seconds() - start > kFullCareSeconds;
    add_figure(measure(works[i], repetition_of(works[i], quick)), &result.figures);
    works[i].body.reset();
  }
  result.seconds = wall_seconds() - start;
  result.steal_share = steal.share();
  judge(&result);
  return result;
}

}  // namespace frugal::probe
