#include "tests/bench/kernels/peaks.h"

#include <algorithm>
#include <cstdint>

#include "libcore/system/clock.h"

namespace frugal::bench {
namespace {

/// Best rate of burst(), which does `flop` operations, over some 40 ms.
template <class Burst>
double best_rate(double flop, Burst burst) {
  double best = 0;
  for (int i = 0; i < 40; ++i) {
    const double begin = cpu_seconds();
    burst();
    best = std::max(best, flop / std::max(cpu_seconds() - begin, 1e-9) / 1e9);
  }
  return best;
}

#if defined(__x86_64__)
constexpr int kTurns = 20000;

// Twelve independent chains hide the latency of one multiply-add. Registers are named, since the
// compiler of this file knows only the baseline.
#define FRUGAL_CHAIN_V2(n) "mulps %%xmm14, %%xmm" #n "\n\taddps %%xmm15, %%xmm" #n "\n\t"
#define FRUGAL_CHAIN_V3(n) "vfmadd231ps %%ymm14, %%ymm15, %%ymm" #n "\n\t"
#define FRUGAL_CHAIN_V4(n) "vfmadd231ps %%zmm14, %%zmm15, %%zmm" #n "\n\t"
#define FRUGAL_CHAIN_DOTS(n) "vdpbf16ps %%zmm14, %%zmm15, %%zmm" #n "\n\t"
#define FRUGAL_TWELVE(chain)                                                                \
  chain(0) chain(1) chain(2) chain(3) chain(4) chain(5) chain(6) chain(7) chain(8) chain(9) \
      chain(10) chain(11)
#define FRUGAL_CLOBBERED                                                                   \
  "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", \
      "xmm11", "xmm14", "xmm15"

void burst_v2() {
  for (int i = 0; i < kTurns; ++i) {
    __asm__ volatile(FRUGAL_TWELVE(FRUGAL_CHAIN_V2) : : : FRUGAL_CLOBBERED);
  }
}
void burst_v3() {
  __asm__ volatile("vzeroall" : : : FRUGAL_CLOBBERED);
  for (int i = 0; i < kTurns; ++i) {
    __asm__ volatile(FRUGAL_TWELVE(FRUGAL_CHAIN_V3) : : : FRUGAL_CLOBBERED);
  }
  __asm__ volatile("vzeroupper");
}
void burst_v4() {
  __asm__ volatile("vzeroall" : : : FRUGAL_CLOBBERED);
  for (int i = 0; i < kTurns; ++i) {
    __asm__ volatile(FRUGAL_TWELVE(FRUGAL_CHAIN_V4) : : : FRUGAL_CLOBBERED);
  }
  __asm__ volatile("vzeroupper");
}

void burst_dots() {
  __asm__ volatile("vzeroall" : : : FRUGAL_CLOBBERED);
  for (int i = 0; i < kTurns; ++i) {
    __asm__ volatile(FRUGAL_TWELVE(FRUGAL_CHAIN_DOTS) : : : FRUGAL_CLOBBERED);
  }
  __asm__ volatile("vzeroupper");
}

void burst_amx() {
  struct alignas(64) Config {
    std::uint8_t palette = 1, start_row = 0, reserved[14] = {};
    std::uint16_t row_bytes[16] = {64, 64, 64, 64, 64, 64, 64, 64};
    std::uint8_t rows[16] = {16, 16, 16, 16, 16, 16, 16, 16};
  } config;
  __asm__ volatile("ldtilecfg %0" : : "m"(config));
  for (int i = 0; i < kTurns; ++i) {
    __asm__ volatile(
        "tdpbf16ps %tmm6, %tmm4, %tmm0\n\ttdpbf16ps %tmm7, %tmm4, %tmm1\n\t"
        "tdpbf16ps %tmm6, %tmm5, %tmm2\n\ttdpbf16ps %tmm7, %tmm5, %tmm3");
  }
  __asm__ volatile("tilerelease");
}
#endif

}  // namespace

double peak_f32([[maybe_unused]] SimdLevel level) {
#if defined(__x86_64__)
  const double flop = 2.0 * 12 * kTurns;
  if (level == SimdLevel::v2) return best_rate(4 * flop, burst_v2);
  if (level == SimdLevel::v3) return best_rate(8 * flop, burst_v3);
  return best_rate(16 * flop, burst_v4);
#else
  return 0;
#endif
}

double peak_bf16([[maybe_unused]] SimdLevel level) {
#if defined(__x86_64__)
  if (level == SimdLevel::amx) return best_rate(4.0 * kTurns * 2 * 16 * 16 * 32, burst_amx);
  if (level == SimdLevel::v4bf16) return best_rate(64.0 * 12 * kTurns, burst_dots);
#endif
  return 0;
}

}  // namespace frugal::bench
