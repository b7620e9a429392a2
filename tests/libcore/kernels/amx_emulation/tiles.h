#pragma once
// The tile instructions in plain code, put before the bodies of the kernels by -include, so that
// their AMX products run on any machine. Tiles are as the architecture defines them: 16 rows of 64
// bytes (Intel, Instruction Set Extensions Programming Reference, chapter on AMX).
#include <immintrin.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>

#define __AMX_BF16__ 1
#undef _tile_loadconfig
#undef _tile_release
#undef _tile_loadd
#undef _tile_stored
#undef _tile_zero
#undef _tile_dpbf16ps
#define _tile_loadconfig emulated_load_config
#define _tile_release() (emulated.configured = false)
#define _tile_loadd emulated_load
#define _tile_stored emulated_store
#define _tile_zero(tile) std::memset(emulated.tiles[tile], 0, sizeof emulated.tiles[tile])
#define _tile_dpbf16ps emulated_multiply

namespace {

/// Every thread has tiles of its own, as every core has.
struct Tiles {
  bool configured = false;
  float tiles[8][16][16] = {};
};
thread_local Tiles emulated;

void emulated_load_config(const void* config) {
  const auto* bytes = static_cast<const unsigned char*>(config);
  emulated.configured = bytes[0] == 1;
  for (int t = 0; t < 8; ++t) {
    std::uint16_t row_bytes = 0;
    std::memcpy(&row_bytes, bytes + 16 + 2 * t, 2);
    emulated.configured = emulated.configured && row_bytes == 64 && bytes[48 + t] == 16;
  }
}

void emulated_load(int t, const void* from, std::size_t stride) {
  for (std::size_t r = 0; r < 16; ++r) {
    std::memcpy(emulated.tiles[t][r], static_cast<const char*>(from) + r * stride, 64);
  }
}

void emulated_store(int t, void* to, std::size_t stride) {
  if (!emulated.configured) std::abort();  // as the processor would fault
  for (std::size_t r = 0; r < 16; ++r) {
    std::memcpy(static_cast<char*>(to) + r * stride, emulated.tiles[t][r], 64);
  }
}

/// The pairs of a row, half 0 or 1, as floats.
void emulated_widen(const float* row, std::uint32_t half, float* out) {
  for (int i = 0; i < 16; ++i) {
    std::uint32_t pair = 0;
    std::memcpy(&pair, row + i, 4);
    pair = half == 0 ? pair << 16 : pair & 0xffff0000u;
    std::memcpy(out + i, &pair, 4);
  }
}

void emulated_multiply(int sums, int a, int b) {
  for (std::uint32_t half = 0; half < 2; ++half) {
    float right[16][16];
    for (int p = 0; p < 16; ++p) emulated_widen(emulated.tiles[b][p], half, right[p]);
    for (int i = 0; i < 16; ++i) {
      float left[16];
      emulated_widen(emulated.tiles[a][i], half, left);
      for (int p = 0; p < 16; ++p) {
        for (int j = 0; j < 16; ++j) emulated.tiles[sums][i][j] += left[p] * right[p][j];
      }
    }
  }
}

}  // namespace
