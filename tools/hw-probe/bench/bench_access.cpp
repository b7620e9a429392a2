#include "tools/hw-probe/bench/bench_access.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <memory>

#include "libcore/base/rng.h"
#include "libcore/threading/parallel.h"

namespace frugal::probe {
namespace {

/// Nodes or keys whose lines are asked for before the first is used.
constexpr std::size_t kAhead = 16;

/// A random number again and again, cheap and good enough to choose places.
std::uint64_t next_random(std::uint64_t& state) {
  state = state * 6364136223846793005u + 1442695040888963407u;
  return state >> 32;
}

std::size_t below(std::uint64_t random, std::size_t count) { return random * count >> 32; }

/// Offsets of nodes, one in seventeen words of 4 bytes, then their neighbours: 16 for each.
class SamplingBody : public WorkBody {
 public:
  static constexpr std::size_t kSeedsPerCall = 1 << 12, kFanout = 10, kDegree = 16;
  SamplingBody(const WorkingSet& set, LazyMemory* memory, std::uint64_t seed)
      : memory_(memory), nodes_(set.bytes / sizeof(std::uint32_t) / (kDegree + 1)), seed_(seed) {}

  void prepare() override {
    memory_->touch();
    std::uint32_t* words = begin();
    parallel_ranges(nodes_, [&](std::size_t first, std::size_t end, int) {
      std::uint64_t random = seed_ + first;
      for (std::size_t node = first; node < end; ++node) {
        words[node] = static_cast<std::uint32_t>(nodes_ + node * kDegree);
        for (std::size_t i = 0; i < kDegree; ++i) {
          words[words[node] + i] = static_cast<std::uint32_t>(below(next_random(random), nodes_));
        }
      }
    });
  }
  void call(int thread, int number) override {
    const std::uint32_t* words = begin();
    std::uint64_t random =
        Rng(seed_, static_cast<std::uint64_t>(thread), static_cast<std::uint64_t>(number)).next();
    std::uint64_t sum = 0;
    for (std::size_t done = 0; done < kSeedsPerCall; done += kAhead) {
      std::uint32_t seeds[kAhead], places[kAhead * kFanout];
      for (std::uint32_t& seed : seeds) {
        seed = static_cast<std::uint32_t>(below(next_random(random), nodes_));
        __builtin_prefetch(words + seed);
      }
      for (std::size_t i = 0; i < kAhead * kFanout; ++i) {
        const std::uint32_t first = words[seeds[i / kFanout]];
        places[i] = first + static_cast<std::uint32_t>(next_random(random) % kDegree);
        __builtin_prefetch(words + places[i]);
      }
      for (const std::uint32_t place : places) sum += words[place];
    }
    volatile std::uint64_t keep = sum;
    static_cast<void>(keep);
  }

 private:
  std::uint32_t* begin() const { return reinterpret_cast<std::uint32_t*>(memory_->data()); }

  LazyMemory* memory_;
  std::size_t nodes_;
  std::uint64_t seed_;
};

/// Every second number from 2 on is a key; 0 is an empty slot.
class HashBody : public WorkBody {
 public:
  static constexpr std::size_t kKeysPerCall = 1 << 13;
  HashBody(const WorkingSet& set, LazyMemory* memory, std::uint64_t seed)
      : memory_(memory), slots_(std::bit_floor(set.bytes / sizeof(std::uint64_t))), seed_(seed) {}

  void prepare() override {
    memory_->touch();
    parallel_ranges(slots_, [&](std::size_t first, std::size_t end, int) {
      std::fill(begin() + first, begin() + end, 0);
    });
    parallel_ranges(slots_ / 2, [&](std::size_t first, std::size_t end, int) {
      for (std::size_t i = first; i < end; ++i) insert(2 * (i + 1));
    });
  }
  void call(int thread, int number) override {
    std::uint64_t random =
        Rng(seed_, static_cast<std::uint64_t>(thread), static_cast<std::uint64_t>(number)).next();
    std::uint64_t found = 0;
    for (std::size_t done = 0; done < kKeysPerCall; done += kAhead) {
      std::uint64_t keys[kAhead];
      for (std::uint64_t& key : keys) {
        key = 2 + below(next_random(random), slots_);
        __builtin_prefetch(begin() + home(key));
      }
      for (const std::uint64_t key : keys) found += contains(key);
    }
    volatile std::uint64_t keep = found;
    static_cast<void>(keep);
  }

 private:
  std::uint64_t* begin() const { return reinterpret_cast<std::uint64_t*>(memory_->data()); }
  std::size_t home(std::uint64_t key) const {
    return key * 0x9e3779b97f4a7c15u >> (64 - std::countr_zero(slots_));
  }
  /// Several threads fill the table.
  void insert(std::uint64_t key) {
    for (std::size_t slot = home(key);; slot = (slot + 1) & (slots_ - 1)) {
      std::uint64_t empty = 0;
      if (std::atomic_ref(begin()[slot]).compare_exchange_strong(empty, key)) return;
    }
  }
  bool contains(std::uint64_t key) const {
    const std::uint64_t* table = begin();
    std::size_t slot = home(key);
    while (table[slot] != 0 && table[slot] != key) slot = (slot + 1) & (slots_ - 1);
    return table[slot] == key;
  }

  LazyMemory* memory_;
  std::size_t slots_;
  std::uint64_t seed_;
};

/// A figure for each set beyond a core's own caches, with one thread and with all.
template <class Body>
std::vector<Work> access_works(const char* what, double amount, const std::vector<WorkingSet>& sets,
                               int threads, const BenchMemory& memory, std::uint64_t seed) {
  std::vector<Work> works;
  for (const WorkingSet& set : sets) {
    if (set.name == "l1" || set.name == "l2") continue;
    for (const int n : {1, threads}) {
      works.push_back({std::string(what) + "/" + set.name + "/huge" + thread_suffix(n), "ns",
                       amount, n, std::make_unique<Body>(set, memory.of(n), seed)});
      if (threads == 1) break;
    }
  }
  return works;
}

}  // namespace

std::vector<Work> sampling_works(const std::vector<WorkingSet>& sets, int threads,
                                 const BenchMemory& memory, std::uint64_t seed) {
  constexpr double kEdges = SamplingBody::kSeedsPerCall * SamplingBody::kFanout;
  return access_works<SamplingBody>("sample", kEdges, sets, threads, memory, seed);
}

std::vector<Work> hash_works(const std::vector<WorkingSet>& sets, int threads,
                             const BenchMemory& memory, std::uint64_t seed) {
  return access_works<HashBody>("hash", HashBody::kKeysPerCall, sets, threads, memory, seed);
}

}  // namespace frugal::probe
