#include "tools/hw-probe/bench/bench_memory.h"

#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <memory>

#include "libcore/base/array.h"
#include "libcore/base/error.h"
#include "libcore/base/rng.h"
#include "libcore/base/text.h"
#include "libcore/kernels/kernels.h"
#include "libcore/threading/parallel.h"

namespace frugal::probe {
namespace {

constexpr std::size_t kLine = 64;

std::string page_suffix(const LazyMemory& memory) {
  return memory.huge_pages() ? "/huge" : "/small";
}

/// Number of data or unified caches of a level; if unknown, every core has one.
int num_caches(const Topology& topology, int level) {
  int caches = 0;
  for (const CacheLevel& cache : topology.caches) {
    if (cache.level == level && cache.type != "instruction") caches += cache.instances;
  }
  return caches > 0 ? caches : std::max(1, topology.cores);
}

std::uint64_t all_l3_bytes(const Topology& topology) {
  std::uint64_t bytes = 0;
  for (const CacheLevel& cache : topology.caches) {
    if (cache.level == 3) bytes += cache.bytes * static_cast<std::uint64_t>(cache.instances);
  }
  return bytes;
}

}  // namespace

std::vector<WorkingSet> working_sets(const Topology& topology, std::uint64_t available_bytes,
                                     bool quick) {
  constexpr std::uint64_t kKiB = 1024, kMiB = kKiB * kKiB;
  const auto known = [&](int level, std::uint64_t otherwise) {
    const std::uint64_t bytes = cache_bytes(topology, level);
    return bytes > 0 ? bytes : otherwise;
  };
  const std::uint64_t l1 = known(1, 32 * kKiB);
  const std::uint64_t l2 = known(2, 512 * kKiB);
  const std::uint64_t l3 = cache_bytes(topology, 3);
  std::vector<WorkingSet> sets{{"l1", l1 / 2, num_caches(topology, 1)},
                               {"l2", l2 / 2, num_caches(topology, 2)}};
  if (l3 > 4 * l2) {
    sets.push_back({"l3", std::min(l3 / 2, std::max(l3 / 8, 4 * l2)), num_caches(topology, 3)});
  }
  const std::uint64_t share = topology.nodes.size() > 1 ? 8 : 4;
  std::uint64_t dram =
      std::clamp<std::uint64_t>(2 * all_l3_bytes(topology), 256 * kMiB, 4096 * kMiB);
  dram = std::min(dram, available_bytes / share) / (quick ? 16 : 1);
  sets.push_back({"dram", dram / kMiB * kMiB, 1});
  for (WorkingSet& set : sets) set.bytes = std::max<std::size_t>(set.bytes / 4096, 2) * 4096;
  return sets;
}

std::vector<std::pair<std::string, std::uint64_t>> level_capacities(
    const Topology& topology, const std::vector<WorkingSet>& sets, int threads) {
  std::vector<std::pair<std::string, std::uint64_t>> levels;
  for (const WorkingSet& set : sets) {
    if (set.name == "dram") {
      levels.emplace_back(set.name, topology.memory_bytes);
    } else {
      const int level = set.name.back() - '0';
      const std::uint64_t bytes = cache_bytes(topology, level);
      const auto caches = static_cast<std::uint64_t>(level < 3 ? set.used_by(threads) : 1);
      levels.emplace_back(set.name, std::max<std::uint64_t>(bytes, set.bytes) * caches);
    }
  }
  return levels;
}

LazyMemory::~LazyMemory() {
  if (data_ != nullptr) munmap(data_, size_);
}

void LazyMemory::touch() {
  if (data_ != nullptr) return;
  void* mapped = mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED) {
    fail(ExitStatus::unavailable, "cannot map ", format_bytes(size_), " of memory to measure");
  }
  // Advice only: without huge pages the two kinds give the same figures.
  madvise(mapped, size_, huge_ ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
  data_ = static_cast<char*>(mapped);
  parallel_ranges(size_, [&](std::size_t begin, std::size_t end, int) {
    std::memset(data_ + begin, 0, end - begin);
  });
}

namespace {

enum class Stream { read, write, copy, triad };

struct StreamKind {
  Stream stream;
  const char* name;
  double bytes_moved;  ///< for each byte of the region
};
// Copy and triad work on halves of the region: copy reads one and writes the other; triad (y += a
// x) reads both and writes one. What the cache reads before it writes is not counted.
constexpr StreamKind kStreams[] = {{Stream::read, "read", 1},
                                   {Stream::write, "write", 1},
                                   {Stream::copy, "copy", 1},
                                   {Stream::triad, "triad", 1.5}};

void stream_over(Stream stream, char* region, std::size_t bytes) {
  const std::size_t half = bytes / 2;
  auto* x = reinterpret_cast<float*>(region);
  auto* y = reinterpret_cast<float*>(region + half);
  switch (stream) {
    case Stream::read: {
      volatile float keep = kernels().dot(x, y, half / sizeof(float));
      static_cast<void>(keep);
      break;
    }
    case Stream::write: std::memset(region, 0, bytes); break;
    case Stream::copy: std::memcpy(region + half, region, half); break;
    case Stream::triad: kernels().axpy(0.5f, x, y, half / sizeof(float)); break;
  }
}

/// Each thread has its own part. The threads that share a cache, or DRAM, divide its set among
/// them; every cache has its own set. A set in DRAM is walked a quarter at a call, so that a run
/// is short and comes back to a quarter only after the caches have seen the other three.
class StreamBody : public WorkBody {
 public:
  StreamBody(Stream stream, const WorkingSet& set, int threads, LazyMemory* memory)
      : stream_(stream), memory_(memory), quarters_(set.name == "dram" ? 4 : 1) {
    const std::size_t sets = set.bytes * static_cast<std::size_t>(set.used_by(threads));
    constexpr std::size_t kPair = 2 * kLine;  // two halves of whole cache lines
    part_ = sets / static_cast<std::size_t>(threads) / quarters_ / kPair * kPair;
    // Halves that lie a multiple of 4 KiB apart look like the same address to the store buffer.
    part_ -= 10 * kLine;
    constexpr std::size_t kBytesPerCall = 1 << 18;
    repeats_ = std::max<std::size_t>(1, kBytesPerCall / part_);
  }
  double bytes_per_call() const { return static_cast<double>(part_ * repeats_); }

  void prepare() override { memory_->touch(); }
  void call(int thread, int number) override {
    const std::size_t first = static_cast<std::size_t>(thread) * part_ * quarters_;
    const std::size_t quarter = static_cast<std::size_t>(number) % quarters_;
    char* region = memory_->data() + first + quarter * part_;
    for (std::size_t i = 0; i < repeats_; ++i) stream_over(stream_, region, part_);
  }

 private:
  Stream stream_;
  LazyMemory* memory_;
  std::size_t quarters_;
  std::size_t part_ = 0;
  std::size_t repeats_ = 0;
};

Work stream_work(const StreamKind& kind, const WorkingSet& set, int threads, LazyMemory* memory) {
  auto body = std::make_unique<StreamBody>(kind.stream, set, threads, memory);
  const double gigabytes = kind.bytes_moved * body->bytes_per_call() * 1e-9;
  return {std::string("bandwidth/") + kind.name + "/" + set.name + thread_suffix(threads), "GB/s",
          gigabytes, threads, std::move(body)};
}

/// Random rows of the lower half of the set, from a start that moves with each call over the other
/// half: later calls read other rows, so that what one call leaves in the caches does not help the
/// next.
class GatherBody : public WorkBody {
 public:
  static constexpr std::size_t kRowsPerCall = 1 << 15;
  GatherBody(const WorkingSet& set, std::size_t row_bytes, int threads, LazyMemory* memory,
             std::uint64_t seed)
      : memory_(memory),
        half_rows_(set.bytes / row_bytes / 2),
        dim_(row_bytes / sizeof(float)),
        seed_(seed),
        states_(static_cast<std::size_t>(threads)) {}

  void prepare() override {
    memory_->touch();
    for (std::size_t thread = 0; thread < states_.size(); ++thread) {
      State& state = states_[thread];
      state.rows = Array<std::uint32_t>(kRowsPerCall, uninitialized);
      state.sum = Array<float>(dim_);
      Rng rng(seed_, thread);
      for (auto& row : state.rows) row = static_cast<std::uint32_t>(rng.below(half_rows_));
    }
  }
  void call(int thread, int number) override {
    State& state = states_[static_cast<std::size_t>(thread)];
    Rng rng(seed_, states_.size() + static_cast<std::uint64_t>(thread),
            static_cast<std::uint64_t>(number));
    const std::size_t start = rng.below(half_rows_) * dim_;
    const float* table = reinterpret_cast<const float*>(memory_->data()) + start;
    kernels().gather_sum(table, dim_, dim_, state.rows.data(), nullptr, kRowsPerCall,
                         state.sum.data());
  }

 private:
  struct State {
    Array<std::uint32_t> rows;
    Array<float> sum;
  };
  LazyMemory* memory_;
  std::size_t half_rows_;
  std::size_t dim_;
  std::uint64_t seed_;
  std::vector<State> states_;
};

/// Line i points to line (a i + c) mod n: one cycle through all n = 2^k lines (Hull and Dobell
/// 1962: c odd, a - 1 a multiple of 4) in an order that no prefetcher follows, written in one
/// sequential pass.
class ChainBody : public WorkBody {
 public:
  static constexpr std::size_t kLoadsPerCall = 1 << 14;
  ChainBody(const WorkingSet& set, LazyMemory* memory)
      : memory_(memory), lines_(std::bit_floor(set.bytes / kLine)) {}

  void prepare() override {
    memory_->touch();
    constexpr std::uint64_t kMultiplier = 0x5851f42d4c957f2du, kIncrement = 0x14057b7ef767814fu;
    parallel_ranges(lines_, [&](std::size_t begin, std::size_t end, int) {
      for (std::size_t i = begin; i < end; ++i) {
        const std::uint64_t next = ((kMultiplier * i + kIncrement) & (lines_ - 1)) * kLine;
        std::memcpy(memory_->data() + i * kLine, &next, sizeof next);
      }
    });
  }
  void call(int, int) override {
    std::uint64_t offset = offset_;
    for (std::size_t i = 0; i < kLoadsPerCall; ++i) {
      std::memcpy(&offset, memory_->data() + offset, sizeof offset);
    }
    offset_ = offset;
  }

 private:
  LazyMemory* memory_;
  std::size_t lines_;
  std::uint64_t offset_ = 0;
};

}  // namespace

std::vector<Work> bandwidth_works(const std::vector<WorkingSet>& sets, int threads,
                                  const BenchMemory& memory) {
  std::vector<Work> works;
  for (const StreamKind& kind : kStreams) {
    for (const WorkingSet& set : sets) {
      works.push_back(stream_work(kind, set, 1, memory.one));
      if (threads > 1) works.push_back(stream_work(kind, set, threads, memory.all));
    }
  }
  return works;
}

std::vector<Work> gather_works(const std::vector<WorkingSet>& sets, int threads,
                               const BenchMemory& memory, std::uint64_t seed) {
  std::vector<Work> works;
  for (const std::size_t row_bytes : {64u, 256u, 512u}) {
    for (const WorkingSet& set : sets) {
      if (set.name == "l1") continue;
      for (const int n : {1, threads}) {
        const std::string name = "gather/" + std::to_string(row_bytes) + "B/" + set.name +
                                 page_suffix(*memory.one) + thread_suffix(n);
        works.push_back({name, "ns", GatherBody::kRowsPerCall, n,
                         std::make_unique<GatherBody>(set, row_bytes, n, memory.of(n), seed)});
        if (threads == 1) break;
      }
    }
  }
  return works;
}

std::vector<Work> chain_works(const std::vector<WorkingSet>& sets, LazyMemory* memory) {
  std::vector<Work> works;
  for (const WorkingSet& set : sets) {
    works.push_back({"chain/" + set.name + page_suffix(*memory) + "/1", "ns",
                     ChainBody::kLoadsPerCall, 1, std::make_unique<ChainBody>(set, memory)});
  }
  return works;
}

}  // namespace frugal::probe
