// The blocking, packing and tails of the AMX product on any machine: its body with the tile
// instructions emulated. Where the machine has AMX, gemm_test.cpp runs the real ones.
#include <cstring>

// Before the emulation, for the compiler's header of tile instructions comes with it.
#include "libcore/kernels/bodies/convert.inl"
#include "tests/libcore/kernels/every_level.h"

namespace {

/// Tiles as the architecture defines them: 16 rows of 64 bytes each (Intel, Instruction Set
/// Extensions Programming Reference, chapter on AMX).
struct EmulatedTiles {
  bool configured = false;
  float tiles[8][16][16] = {};
} machine;

void emulated_load_config(const void* config) {
  const auto* bytes = static_cast<const unsigned char*>(config);
  machine.configured = bytes[0] == 1;
  for (int t = 0; t < 8; ++t) {
    std::uint16_t row_bytes = 0;
    std::memcpy(&row_bytes, bytes + 16 + 2 * t, 2);
    machine.configured = machine.configured && row_bytes == 64 && bytes[48 + t] == 16;
  }
}
void emulated_load(int t, const void* from, std::size_t stride) {
  for (std::size_t r = 0; r < 16; ++r) {
    std::memcpy(machine.tiles[t][r], static_cast<const char*>(from) + r * stride, 64);
  }
}
void emulated_store(int t, void* to, std::size_t stride) {
  CHECK(machine.configured);
  for (std::size_t r = 0; r < 16; ++r) {
    std::memcpy(static_cast<char*>(to) + r * stride, machine.tiles[t][r], 64);
  }
}
void emulated_multiply(int sums, int a, int b) {
  using namespace frugal;
  float left[32], right[16][32];
  for (std::size_t p = 0; p < 16; ++p) {
    from_bf16(reinterpret_cast<const BFloat16*>(machine.tiles[b][p]), right[p], 32);
  }
  for (std::size_t i = 0; i < 16; ++i) {
    from_bf16(reinterpret_cast<const BFloat16*>(machine.tiles[a][i]), left, 32);
    for (std::size_t p = 0; p < 16; ++p) {
      for (std::size_t j = 0; j < 16; ++j) {
        machine.tiles[sums][i][j] += left[2 * p] * right[p][2 * j];
        machine.tiles[sums][i][j] += left[2 * p + 1] * right[p][2 * j + 1];
      }
    }
  }
}

}  // namespace

#undef _tile_loadconfig
#undef _tile_release
#undef _tile_loadd
#undef _tile_stored
#undef _tile_zero
#undef _tile_dpbf16ps
#define _tile_loadconfig emulated_load_config
#define _tile_release() (machine.configured = false)
#define _tile_loadd emulated_load
#define _tile_stored emulated_store
#define _tile_zero(tile) std::memset(machine.tiles[tile], 0, sizeof machine.tiles[tile])
#define _tile_dpbf16ps emulated_multiply
#include "libcore/kernels/bodies/gemm_amx.inl"

namespace {

using namespace frugal;

std::size_t padded(std::size_t n) { return (n + 31) / 32 * 32; }

/// Number of wrong elements of C = alpha A B + beta C, columns behind C included.
std::size_t count_wrong(std::size_t m, std::size_t n, std::size_t k, bool transposed, float alpha,
                        float beta) {
  const Floats b = Floats::random(k * n, 1);
  const PackArgs pack{b.data(), transposed ? 1 : n, transposed ? k : 1, k, n};
  std::vector<BFloat16> panels(padded(k) * padded(n), BFloat16{0x7fff});
  pack_b_bf16(pack, panels.data());
  const std::size_t a_row = padded(k) + 32, ldc = n + 5;
  std::vector<BFloat16> a(padded(m) * a_row);
  Rng rng(2);
  for (std::size_t i = 0; i < m; ++i) {
    for (std::size_t p = 0; p < k; ++p) {
      a[i * a_row + p] = to_bfloat16(static_cast<float>(rng.uniform(-1, 1)));
    }
  }
  Floats c = Floats::random(m * ldc, 3);
  if (beta == 0) std::fill(c.begin(), c.end(), std::nanf(""));
  const Floats before = c;
  gemm_bf16({.m = m,
             .n = n,
             .k = k,
             .a = a.data(),
             .a_row = a_row,
             .b = panels.data(),
             .b_panel = padded(k) * 32,
             .c = c.data(),
             .ldc = ldc,
             .alpha = alpha,
             .beta = beta});
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < m; ++i) {
    for (std::size_t j = 0; j < ldc; ++j) {
      const float got = c[i * ldc + j], old = before[i * ldc + j];
      if (j >= n) {
        wrong += std::bit_cast<std::uint32_t>(got) != std::bit_cast<std::uint32_t>(old);
        continue;
      }
      double sum = 0, size = 0;
      for (std::size_t p = 0; p < k; ++p) {
        const double y = to_float(to_bfloat16(b[p * pack.row + j * pack.col]));
        sum += to_float(a[i * a_row + p]) * y;
        size += std::abs(to_float(a[i * a_row + p]) * y);
      }
      const double rest = beta == 0 ? 0 : double(beta) * old;
      wrong += !close(got, alpha * sum + rest, std::abs(alpha) * size + std::abs(rest), 4e-6);
    }
  }
  return wrong;
}

}  // namespace

TEST_CASE("the AMX product agrees with double precision on rounded inputs, tiles emulated") {
  for (const std::size_t m : {1, 16, 31, 32, 33, 70}) {
    for (const std::size_t n : {1, 15, 16, 17, 32, 40, 65}) {
      for (const std::size_t k : {1, 2, 31, 32, 33, 100}) {
        CAPTURE(m);
        CAPTURE(n);
        CAPTURE(k);
        CHECK(count_wrong(m, n, k, false, 1, 0) == 0);
        CHECK(count_wrong(m, n, k, true, 1, 1) == 0);
      }
    }
  }
  for (const float alpha : {1.0f, 0.5f}) {
    for (const float beta : {0.0f, 1.0f, -2.0f}) {
      CHECK(count_wrong(290, 33, 40, false, alpha, beta) == 0);  // two blocks of rows
      CHECK(count_wrong(33, 65, 1100, true, alpha, beta) == 0);  // three blocks of depth
    }
  }
}
