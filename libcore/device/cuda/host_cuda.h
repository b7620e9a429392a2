#pragma once
/// CUDA's execution model on the host, for tests. Every thread of a block is a fibre; barriers,
/// warp shuffles, votes and atomics behave as the CUDA C++ Programming Guide says. Errors that a
/// GPU may survive by luck end the process with a message: barriers that not all threads reach,
/// unaligned matrix tiles, and blocks with more shared memory than a GPU has. So do warp operations
/// whose mask omits a caller or names a lane that has returned. Shared memory is NaN at the start
/// of every block. order() changes the order of the threads, which reveals races and missing
/// barriers.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "libcore/device/cuda/fibre_switch.h"

#if defined(__SANITIZE_ADDRESS__)
#define FRUGAL_FIBRE_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define FRUGAL_FIBRE_ASAN 1
#endif
#endif

struct dim3 {
  unsigned x = 1, y = 1, z = 1;
  dim3(unsigned a = 1, unsigned b = 1, unsigned c = 1) : x(a), y(b), z(c) {}
};

namespace frugal::host_cuda {

/// Event that a fibre waits for.
enum class Wait : std::uint8_t { none, block, warp, done };

inline constexpr std::size_t kWarp = 32;
inline constexpr std::size_t kStackBytes = 64 * 1024;
inline constexpr std::size_t kSharedBytes = 48 * 1024;  ///< available to every kernel

/// A thread of a block.
struct Fibre {
  void* stack_pointer = nullptr;
  std::unique_ptr<char[]> stack;
  Wait wait = Wait::none;
  dim3 thread;
  unsigned lane = 0, warp = 0;
  std::uint32_t mask = 0;   ///< mask of the warp operation it waits in
  std::uint64_t given = 0;  ///< value that it passes to that operation
  std::uint64_t taken = 0;  ///< copy of `given`, made when all lanes had arrived
  int line = 0;             ///< source line of the operation: different operations do not meet
};

/// The block that is running.
struct Block {
  std::vector<Fibre> fibres;
  std::size_t current = 0;
  dim3 block, grid, index;
  void* scheduler = nullptr;
  const std::function<void()>* body = nullptr;
  std::vector<const void*> entered;  ///< shared arrays of this block so far
  std::size_t shared_bytes = 0;      ///< total size of these arrays
};
inline thread_local Block* now = nullptr;
inline Fibre& self() { return now->fibres[now->current]; }

/// Order in which runnable threads run: 0 ascending, 1 descending, else random. Read from the
/// environment when a grid begins.
inline int& order() {
  static int order = 0;
  return order;
}
inline void read_order() {
  const char* text = std::getenv("FRUGAL_HOST_CUDA_ORDER");
  order() = text == nullptr ? 0 : std::atoi(text);
}

[[noreturn]] inline void broken(const char* what) {
  std::fprintf(stderr, "host_cuda: %s: block (%u, %u) thread (%u, %u)\n", what, now->index.x,
               now->index.y, self().thread.x, self().thread.y);
  std::abort();
}

#ifdef FRUGAL_FIBRE_ASAN
extern "C" void __sanitizer_start_switch_fiber(void** save, const void* bottom, std::size_t size);
extern "C" void __sanitizer_finish_switch_fiber(void* save, const void** bottom, std::size_t* size);
inline thread_local const void* host_stack = nullptr;
inline thread_local std::size_t host_stack_size = 0;
#endif

inline void leave_fibre() {
#ifdef FRUGAL_FIBRE_ASAN
  void* fake = nullptr;
  __sanitizer_start_switch_fiber(&fake, host_stack, host_stack_size);
  frugal_switch_fibre(&self().stack_pointer, now->scheduler);
  __sanitizer_finish_switch_fiber(fake, &host_stack, &host_stack_size);
#else
  frugal_switch_fibre(&self().stack_pointer, now->scheduler);
#endif
}

inline void enter_fibre(Block& b, std::size_t i) {
  b.current = i;
#ifdef FRUGAL_FIBRE_ASAN
  void* fake = nullptr;
  __sanitizer_start_switch_fiber(&fake, b.fibres[i].stack.get(), kStackBytes);
  frugal_switch_fibre(&b.scheduler, b.fibres[i].stack_pointer);
  __sanitizer_finish_switch_fiber(fake, nullptr, nullptr);
#else
  frugal_switch_fibre(&b.scheduler, b.fibres[i].stack_pointer);
#endif
}

inline void run_fibre() {
#ifdef FRUGAL_FIBRE_ASAN
  __sanitizer_finish_switch_fiber(nullptr, &host_stack, &host_stack_size);
#endif
  (*now->body)();
  self().wait = Wait::done;
  for (;;) leave_fibre();
}

/// Prepares a fibre that has not started.
inline void prepare_fibre(Fibre& fibre) {
  fibre.stack_pointer = new_stack(fibre.stack.get() + kStackBytes, &run_fibre);
  fibre.wait = Wait::none;
}

/// Waits until all lanes of `mask` are here; each may then read what the others have given.
inline void meet_warp(std::uint32_t mask, std::uint64_t given, int line) {
  Fibre& me = self();
  if ((mask >> me.lane & 1) == 0) broken("a warp operation whose mask leaves out its caller");
  me.mask = mask;
  me.given = given;
  me.line = line;
  me.wait = Wait::warp;
  leave_fibre();
}

inline const Fibre& lane(unsigned number) {
  return now->fibres[std::size_t{self().warp} * kWarp + number];
}

/// Releases lanes of the warp that begins with fibre `first`, if all lanes of a mask wait in one
/// operation. False if there are none.
inline bool release_lanes(Block& b, std::size_t first, std::size_t last) {
  for (std::size_t i = first; i < last; ++i) {
    if (b.fibres[i].wait != Wait::warp) continue;
    const std::uint32_t mask = b.fibres[i].mask;
    b.current = i;
    bool all = true;
    for (std::size_t l = 0; l < kWarp && all; ++l) {
      if ((mask >> l & 1) == 0) continue;
      if (first + l >= last) broken("a mask with lanes that the block does not have");
      const Fibre& other = b.fibres[first + l];
      if (other.wait == Wait::done) broken("a warp operation waits for a lane that has returned");
      all = other.wait == Wait::warp && other.mask == mask && other.line == b.fibres[i].line;
    }
    if (!all) continue;
    for (std::size_t l = 0; l < kWarp; ++l) {
      if ((mask >> l & 1) == 0) continue;
      b.fibres[first + l].wait = Wait::none;
      b.fibres[first + l].taken = b.fibres[first + l].given;
    }
    return true;
  }
  return false;
}

inline bool release_warps(Block& b) {
  bool any = false;
  for (std::size_t first = 0; first < b.fibres.size(); first += kWarp) {
    while (release_lanes(b, first, std::min(first + kWarp, b.fibres.size()))) any = true;
  }
  return any;
}

/// Releases a barrier if all threads have reached it.
inline bool release_block(Block& b, std::size_t done) {
  std::size_t waiting = 0;
  for (const Fibre& f : b.fibres) waiting += f.wait == Wait::block ? 1 : 0;
  if (waiting == 0 || waiting + done != b.fibres.size()) return false;
  if (done != 0) broken("__syncthreads() that not all threads of the block reach");
  for (Fibre& f : b.fibres) f.wait = Wait::none;
  return true;
}

inline void shuffle_order(std::vector<std::size_t>& order, std::uint64_t& state) {
  for (std::size_t i = order.size(); i > 1; --i) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    std::swap(order[i - 1], order[state % i]);
  }
}

inline void run_block(Block& b) {
  const std::size_t n = b.fibres.size();
  std::vector<std::size_t> sequence(n);
  for (std::size_t i = 0; i < n; ++i) sequence[i] = order() == 1 ? n - 1 - i : i;
  std::uint64_t state = 0x9e3779b97f4a7c15U * (static_cast<std::uint64_t>(order()) + 1);
  for (;;) {
    if (order() > 1) shuffle_order(sequence, state);
    bool ran = false;
    for (const std::size_t i : sequence) {
      if (b.fibres[i].wait != Wait::none) continue;
      ran = true;
      enter_fibre(b, i);
    }
    std::size_t done = 0;
    for (const Fibre& f : b.fibres) done += f.wait == Wait::done ? 1 : 0;
    if (done == n) return;
    if (release_warps(b) || release_block(b, done)) continue;
    if (!ran) broken("threads wait for different things");
  }
}

/// Fibres of a block, reused from launch to launch because their stacks are large.
inline Block& block_of(std::size_t threads) {
  static thread_local Block block;
  while (block.fibres.size() > threads) block.fibres.pop_back();
  while (block.fibres.size() < threads) {
    block.fibres.emplace_back();
    block.fibres.back().stack.reset(new char[kStackBytes]);
  }
  return block;
}

inline void run_grid(dim3 grid, dim3 block, const std::function<void()>& body) {
  read_order();
  Block& b = block_of(std::size_t{block.x} * block.y * block.z);
  b.block = block;
  b.grid = grid;
  b.body = &body;
  now = &b;
  const std::uint64_t blocks = std::uint64_t{grid.x} * grid.y * grid.z;
  for (std::uint64_t number = 0; number < blocks; ++number) {
    const std::uint64_t at = order() == 1 ? blocks - 1 - number : number;
    b.index = dim3(static_cast<unsigned>(at % grid.x), static_cast<unsigned>(at / grid.x % grid.y),
                   static_cast<unsigned>(at / grid.x / grid.y));
    b.entered.clear();
    b.shared_bytes = 0;
    for (std::size_t i = 0; i < b.fibres.size(); ++i) {
      Fibre& f = b.fibres[i];
      f.thread =
          dim3(static_cast<unsigned>(i % block.x), static_cast<unsigned>(i / block.x % block.y),
               static_cast<unsigned>(i / block.x / block.y));
      f.lane = static_cast<unsigned>(i % kWarp);
      f.warp = static_cast<unsigned>(i / kWarp);
      prepare_fibre(f);
    }
    run_block(b);
  }
  now = nullptr;
}

/// Fills a shared array with NaN when the first thread of a block gets here.
inline void enter_shared(void* memory, std::size_t bytes) {
  std::vector<const void*>& entered = now->entered;
  if (std::find(entered.begin(), entered.end(), memory) != entered.end()) return;
  entered.push_back(memory);
  now->shared_bytes += bytes;
  if (now->shared_bytes > kSharedBytes) broken("a block with too much shared memory");
  std::memset(memory, 0xff, bytes);
}

/// Ends the process if an address is not a multiple of `bytes`.
inline void check_aligned(const void* address, std::size_t bytes) {
  if (reinterpret_cast<std::uintptr_t>(address) % bytes != 0) broken("a tile that is not aligned");
}

template <class T>
std::uint64_t bits_of(T value) {
  static_assert(sizeof(T) <= sizeof(std::uint64_t));
  std::uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof value);
  return bits;
}

template <class T>
T shuffle(std::uint32_t mask, T value, unsigned from, int line) {
  meet_warp(mask, bits_of(value), line);
  from %= kWarp;
  if ((mask >> from & 1) == 0) broken("a shuffle that reads a lane outside of its mask");
  T result;
  std::memcpy(&result, &lane(from).taken, sizeof result);
  return result;
}

}  // namespace frugal::host_cuda

// Built-in names that CUDA provides in every kernel.
#define threadIdx (::frugal::host_cuda::self().thread)
#define blockIdx (::frugal::host_cuda::now->index)
#define blockDim (::frugal::host_cuda::now->block)
#define gridDim (::frugal::host_cuda::now->grid)

// NOLINTBEGIN(bugprone-reserved-identifier)
inline void __syncthreads() {
  ::frugal::host_cuda::self().wait = ::frugal::host_cuda::Wait::block;
  ::frugal::host_cuda::leave_fibre();
}
inline void __syncwarp(std::uint32_t mask = 0xffffffffU, int line = __builtin_LINE()) {
  ::frugal::host_cuda::meet_warp(mask, 0, line);
}
template <class T>
T __shfl_sync(std::uint32_t mask, T value, int from, int line = __builtin_LINE()) {
  return ::frugal::host_cuda::shuffle(mask, value, static_cast<unsigned>(from), line);
}
template <class T>
T __shfl_xor_sync(std::uint32_t mask, T value, int with, int line = __builtin_LINE()) {
  const unsigned lane = ::frugal::host_cuda::self().lane;
  return ::frugal::host_cuda::shuffle(mask, value, lane ^ static_cast<unsigned>(with), line);
}
inline std::uint32_t __ballot_sync(std::uint32_t mask, int vote, int line = __builtin_LINE()) {
  ::frugal::host_cuda::meet_warp(mask, vote != 0 ? 1 : 0, line);
  std::uint32_t votes = 0;
  for (unsigned l = 0; l < ::frugal::host_cuda::kWarp; ++l) {
    if ((mask >> l & 1) == 0) continue;
    votes |= static_cast<std::uint32_t>(::frugal::host_cuda::lane(l).taken) << l;
  }
  return votes;
}
template <class T>
T atomicAdd(T* place, T value) {
  return std::atomic_ref<T>(*place).fetch_add(value);
}
template <class T>
T atomicMin(T* place, T value) {
  const T before = *place;
  *place = std::min(before, value);
  return before;
}
// NOLINTNEXTLINE(readability-non-const-parameter)
inline std::uint32_t atomicCAS(std::uint32_t* place, std::uint32_t expected, std::uint32_t value) {
  std::atomic_ref<std::uint32_t>(*place).compare_exchange_strong(expected, value);
  return expected;
}
// NOLINTNEXTLINE(readability-non-const-parameter)
inline unsigned long long atomicCAS(unsigned long long* place, unsigned long long expected,
                                    unsigned long long value) {
  std::atomic_ref<unsigned long long>(*place).compare_exchange_strong(expected, value);
  return expected;
}
inline std::uint64_t __umul64hi(std::uint64_t a, std::uint64_t b) {
  return static_cast<std::uint64_t>(static_cast<unsigned __int128>(a) * b >> 64);
}
inline int __popc(std::uint32_t x) { return __builtin_popcount(x); }
inline double __longlong_as_double(long long x) {
  double d;
  std::memcpy(&d, &x, sizeof d);
  return d;
}
inline long long __double_as_longlong(double d) {
  long long x;
  std::memcpy(&x, &d, sizeof x);
  return x;
}
inline float __uint_as_float(std::uint32_t x) {
  float f;
  std::memcpy(&f, &x, sizeof f);
  return f;
}
inline std::uint32_t __float_as_uint(float f) {
  std::uint32_t x;
  std::memcpy(&x, &f, sizeof x);
  return x;
}
// NOLINTEND(bugprone-reserved-identifier)
