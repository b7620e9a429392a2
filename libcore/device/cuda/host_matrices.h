#pragma once
/// Matrix instructions of tensor cores on the host, for tests: the data that each lane passes and
/// receives.
#include <cstdint>
#include <cstring>

#include "libcore/device/cuda/host_cuda.h"

namespace frugal::host_cuda {

/// ldmatrix.x4 (PTX ISA). Lanes 8 i to 8 i + 7 pass the addresses of the rows of tile i, which has
/// 8 x 8 bf16 numbers. Lane 4 g + t receives numbers 2 t and 2 t + 1 of row g or, transposed, of
/// column g.
inline void load_matrices(const std::uint16_t* row, bool transposed, std::uint32_t* pairs,
                          int line = __builtin_LINE()) {
  check_aligned(row, 8 * sizeof(std::uint16_t));
  meet_warp(0xffffffffU, bits_of(row), line);
  const unsigned g = self().lane / 4, t = self().lane % 4;
  const auto number = [](unsigned lane_of_row, unsigned column) -> std::uint32_t {
    return reinterpret_cast<const std::uint16_t*>(lane(lane_of_row).taken)[column];
  };
  for (unsigned i = 0; i < 4; ++i) {
    pairs[i] = transposed ? number(8 * i + 2 * t, g) | number(8 * i + 2 * t + 1, g) << 16
                          : number(8 * i + g, 2 * t) | number(8 * i + g, 2 * t + 1) << 16;
  }
}

/// mma.m16n8k16 (PTX ISA) in bf16. Lane 4 g + t holds the sums of rows g and g + 8, columns 2 t and
/// 2 t + 1; rows of A and columns of B are distributed as by load_matrices().
inline void multiply_matrices(float* c, const std::uint32_t* a, const std::uint32_t* b,
                              int line = __builtin_LINE()) {
  const std::uint32_t* own[] = {a, b};
  meet_warp(0xffffffffU, bits_of(static_cast<const std::uint32_t**>(own)), line);
  const auto number = [](unsigned factor, unsigned outer, unsigned k, unsigned part) {
    const auto* of_lane =
        reinterpret_cast<const std::uint32_t* const*>(lane(4 * outer + k % 8 / 2).taken);
    const std::uint32_t bits = of_lane[factor][part] >> 16 * (k % 2) << 16;
    float x;
    std::memcpy(&x, &bits, sizeof x);
    return x;
  };
  const unsigned g = self().lane / 4, t = self().lane % 4;
  for (unsigned i = 0; i < 4; ++i) {
    for (unsigned k = 0; k < 16; ++k) {
      c[i] += number(0, g, k, k / 8 * 2 + i / 2) * number(1, 2 * t + i % 2, k, k / 8);
    }
  }
  meet_warp(0xffffffffU, 0, line);  // all have read what lies on the stacks of others
}

}  // namespace frugal::host_cuda
