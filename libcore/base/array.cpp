#include "libcore/base/array.h"

#include <sys/mman.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>

namespace frugal {
namespace {

constexpr std::size_t kHugePage = std::size_t{2} << 20;
constexpr std::size_t kMapFrom = std::size_t{4} << 20;

std::size_t round_up(std::size_t n, std::size_t to) {
  if (n > static_cast<std::size_t>(-1) - to) throw std::bad_alloc();
  return (n + to - 1) / to * to;
}

}  // namespace

void* allocate_aligned(std::size_t num_bytes) {
  if (num_bytes < kMapFrom) {
    void* memory = std::aligned_alloc(64, round_up(num_bytes, 64));
    if (memory == nullptr) throw std::bad_alloc();
    return memory;
  }
  // Map one huge page more than needed, then give back what lies outside the aligned range.
  const std::size_t size = round_up(num_bytes, kHugePage);
  if (size > static_cast<std::size_t>(-1) - kHugePage) throw std::bad_alloc();
  void* mapped = mmap(nullptr, size + kHugePage, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapped == MAP_FAILED) throw std::bad_alloc();
  char* const first = static_cast<char*>(mapped);
  const std::size_t skip =
      (kHugePage - reinterpret_cast<std::uintptr_t>(first) % kHugePage) % kHugePage;
  if (skip != 0) munmap(first, skip);
  if (skip != kHugePage) munmap(first + skip + size, kHugePage - skip);
  madvise(first + skip, size,
          MADV_HUGEPAGE);  // advice: a kernel without it still serves 4 KiB pages
  return first + skip;
}

void* allocate_zeroed(std::size_t num_bytes) {
  void* const memory = allocate_aligned(num_bytes);
  if (num_bytes < kMapFrom) std::memset(memory, 0, num_bytes);
  return memory;
}

void free_aligned(void* memory, std::size_t num_bytes) noexcept {
  if (num_bytes < kMapFrom) {
    std::free(memory);
  } else {
    munmap(memory, (num_bytes + kHugePage - 1) / kHugePage * kHugePage);
  }
}

}  // namespace frugal
