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
                            const BenchMemory& huge, const BenchMemory& small) {
  std::vector<Work> works = peak_works(options.threads);
  append(product_works(options.threads), &works);
  append(compression_works(options.threads), &works);
  append(bandwidth_works(sets, options.threads, huge), &works);
  append(gather_works(sets, options.threads, huge, options.seed), &works);
  append(gather_works(sets, options.threads, small, options.seed), &works);
  append(sampling_works(sets, options.threads, huge, options.seed), &works);
  append(hash_works(sets, options.threads, huge, options.seed), &works);
  append(chain_works(sets, huge.one), &works);
  append(chain_works(only_dram(sets), small.one), &works);
  append(peak_works(options.threads), &works);
  return works;
}

/// Peak, products and reads of one thread, which a slower kind of cores is measured by.
std::vector<Work> kind_works(const std::vector<WorkingSet>& sets, const BenchMemory& huge) {
  std::vector<Work> works = peak_works(1);
  append(product_works(1), &works);
  append(bandwidth_works(sets, 1, huge), &works);
  std::erase_if(works, [](const Work& work) {
    return work.name.starts_with("bandwidth/") && !work.name.starts_with("bandwidth/read/");
  });
  return works;
}

/// Puts the works on cores of the kind, whose name replaces the number of threads in theirs.
std::vector<Work> on_kind(const CoreKind& kind, const std::vector<int>& cpus,
                          std::vector<Work> works) {
  std::string suffix = "/" + kind.name;
  std::replace(suffix.begin(), suffix.end(), ' ', '-');
  for (Work& work : works) {
    work.name.replace(work.name.rfind('/'), std::string::npos, suffix);
    work.places = {cpus};
  }
  return works;
}

/// Puts a single thread on one kind of cores or one node, and all threads on the nodes.
void place(const Places& one, const Places& all, std::vector<Work>* works) {
  for (Work& work : *works) work.places = work.threads == 1 ? one : all;
}

/// The machine as cores of one kind see it.
Topology topology_of(const CoreKind& kind, const Topology& machine) {
  Topology topology = machine;
  topology.caches = kind.caches;
  topology.cores = kind.cores;
  topology.core_kinds.clear();
  return topology;
}

/// Works of the fastest cores, of all threads, and of each slower kind of cores.
std::vector<Work> placed_works(const BenchOptions& options, const Topology& topology,
                               const std::vector<WorkingSet>& sets, std::uint64_t available,
                               const BenchMemory& huge, const BenchMemory& small) {
  const std::vector<int> allowed = usable_cpus().cpus;
  const Places nodes = node_places(topology, allowed, options.threads);
  Places one = node_places(topology, allowed, 1);
  std::vector<Work> slower, slower_chains;
  bool first = true;
  for (const CoreKind& kind : topology.core_kinds) {
    const std::vector<int> cpus = allowed_cpus(kind.cpus, allowed);
    if (cpus.empty()) continue;
    if (first) {
      one = {cpus};
      first = false;
      continue;
    }
    auto own = working_sets(topology_of(kind, topology), available, options.quick);
    own.back() = sets.back();
    append(on_kind(kind, cpus, kind_works(own, huge)), &slower);
    append(on_kind(kind, cpus, chain_works(own, huge.one)), &slower_chains);
  }
  std::vector<Work> works = all_works(options, sets, huge, small);
  place(one, nodes, &works);
  const auto samples = std::find_if(works.begin(), works.end(), [](const Work& work) {
    return work.name.starts_with("sample/");  // the first that overwrites the memory
  });
  works.insert(samples, std::make_move_iterator(slower.begin()),
               std::make_move_iterator(slower.end()));
  append(std::move(slower_chains), &works);
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

/// Bytes that all sets fit into, each as often as `threads` use its caches.
std::size_t memory_for(const std::vector<WorkingSet>& sets, int threads) {
  std::size_t bytes = 0;
  for (const WorkingSet& set : sets) {
    bytes = std::max(bytes, set.bytes * static_cast<std::size_t>(set.used_by(threads)));
  }
  return bytes;
}

/// Time of all figures with those that are measured again, while few are unsteady and while many
/// are. Figures that come after the longer one are measured as with --quick.
constexpr double kQuietSeconds = 8.5, kCareSeconds = 17;
constexpr Repetition kCareful{0.05, 0.004, 7};
constexpr Repetition kQuick{0.002, 0.0005, 3};
/// Many short runs: on a busy machine some fit between two interruptions.
constexpr Repetition kPeaks{0.1, 0.0005, 7};

const Repetition& repetition_of(const Work& work, bool quick) {
  if (quick) return kQuick;
  return work.name.starts_with("peak/") ? kPeaks : kCareful;
}

constexpr double kStealLimit = 0.02;
constexpr double kNoisyShare = 0.25;

bool many_unsteady(const BenchResult& result) {
  const auto unsteady = std::count_if(result.figures.begin(), result.figures.end(), is_unsteady);
  return static_cast<double>(unsteady) > kNoisyShare * static_cast<double>(result.figures.size());
}

}  // namespace

void judge(BenchResult* result) {
  const auto noisy = std::count_if(result->figures.begin(), result->figures.end(), is_unsteady);
  result->noisy = many_unsteady(*result) || result->steal_share > kStealLimit;
  std::ostringstream text;
  text.precision(2);
  text << (result->noisy ? "too noisy to trust: " : "quiet enough: ") << noisy << " of "
       << result->figures.size() << " figures are unsteady, other virtual machines took "
       << 100 * result->steal_share << " % of the time";
  result->verdict = text.str();
}

BenchResult run_benchmarks(const BenchOptions& options, const Topology& topology,
                           const BenchProgress& progress) {
  const std::uint64_t available = memory_available();
  const auto sets = working_sets(topology, available, options.quick);
  const std::size_t bytes = memory_for(sets, options.threads);
  LazyMemory huge(bytes, true), small(bytes, false), huge_one(bytes, true), small_one(bytes, false);
  const bool nodes = topology.nodes.size() > 1;
  std::vector<Work> works =
      placed_works(options, topology, sets, available, {nodes ? &huge_one : &huge, &huge},
                   {nodes ? &small_one : &small, &small});
  std::string no_device;
  append(device_works(&no_device), &works);
  keep_wanted(options.only, &works);
  BenchResult result;
  result.cpu_model = cpu_model();
  result.simd = kernels().name;
  result.threads = options.threads;
  result.levels = level_capacities(topology, sets, options.threads);
  if (!has_bf16_instructions()) {
    result.left_out.push_back(
        "bf16 products: neither AVX512_BF16 nor AMX may be used; see hw-probe detect");
  }
  if (!no_device.empty()) result.left_out.push_back("copies to a device: " + no_device);
  const double start = wall_seconds();
  const StealMeter steal;
  for (std::size_t i = 0; i < works.size(); ++i) {
    progress(i, works.size(), works[i].name);
    Repetition repetition =
        repetition_of(works[i], options.quick || wall_seconds() - start > kCareSeconds);
    if (!options.quick) {
      const double part = static_cast<double>(i + 1) / static_cast<double>(works.size());
      repetition.until = start + (many_unsteady(result) ? kCareSeconds : kQuietSeconds) * part;
    }
    add_figure(measure(works[i], repetition), &result.figures);
    works[i].body.reset();
  }
  result.seconds = wall_seconds() - start;
  result.steal_share = steal.share();
  judge(&result);
  return result;
}

BenchResult run_benchmarks(const BenchOptions& options, const BenchProgress& progress) {
  return run_benchmarks(options, read_topology(), progress);
}

}  // namespace frugal::probe
