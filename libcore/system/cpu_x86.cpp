// Feature bits: Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2A, CPUID; the
// x86-64-v2, v3 and v4 sets: x86-64 psABI, section 3.1.1. Levels follow from bits, never from model
// numbers: tables of models age.
#if defined(__x86_64__)
#include <cpuid.h>

#include <cstdint>
#include <cstring>

#include "libcore/base/text.h"
#include "libcore/system/amx_trial.h"
#include "libcore/system/cpu.h"

namespace frugal {
namespace {

enum Register { eax, ebx, ecx, edx };

struct Feature {
  SimdLevel level;
  const char* name;
  std::uint32_t leaf, subleaf;
  Register reg;
  unsigned bit;
};

constexpr Feature kFeatures[] = {
    {SimdLevel::v2, "cx16", 1, 0, ecx, 13},
    {SimdLevel::v2, "lahf", 0x80000001, 0, ecx, 0},
    {SimdLevel::v2, "popcnt", 1, 0, ecx, 23},
    {SimdLevel::v2, "sse3", 1, 0, ecx, 0},
    {SimdLevel::v2, "ssse3", 1, 0, ecx, 9},
    {SimdLevel::v2, "sse4.1", 1, 0, ecx, 19},
    {SimdLevel::v2, "sse4.2", 1, 0, ecx, 20},
    {SimdLevel::v3, "avx", 1, 0, ecx, 28},
    {SimdLevel::v3, "avx2", 7, 0, ebx, 5},
    {SimdLevel::v3, "bmi1", 7, 0, ebx, 3},
    {SimdLevel::v3, "bmi2", 7, 0, ebx, 8},
    {SimdLevel::v3, "f16c", 1, 0, ecx, 29},
    {SimdLevel::v3, "fma", 1, 0, ecx, 12},
    {SimdLevel::v3, "lzcnt", 0x80000001, 0, ecx, 5},
    {SimdLevel::v3, "movbe", 1, 0, ecx, 22},
    {SimdLevel::v3, "osxsave", 1, 0, ecx, 27},
    {SimdLevel::v4, "avx512f", 7, 0, ebx, 16},
    {SimdLevel::v4, "avx512bw", 7, 0, ebx, 30},
    {SimdLevel::v4, "avx512cd", 7, 0, ebx, 28},
    {SimdLevel::v4, "avx512dq", 7, 0, ebx, 17},
    {SimdLevel::v4, "avx512vl", 7, 0, ebx, 31},
    {SimdLevel::v4bf16, "avx512_bf16", 7, 1, eax, 5},
    {SimdLevel::v4bf16, "avx512_vpopcntdq", 7, 0, ecx, 14},
    {SimdLevel::amx, "amx_tile", 7, 0, edx, 24},
    {SimdLevel::amx, "amx_bf16", 7, 0, edx, 22},
};

std::uint32_t cpuid(std::uint32_t leaf, std::uint32_t subleaf, Register reg) {
  std::uint32_t r[4] = {};
  if (!__get_cpuid_count(leaf, subleaf, &r[eax], &r[ebx], &r[ecx], &r[edx])) return 0;
  return r[reg];
}

/// Which register files the kernel saves (XCR0); 0 where it cannot be read.
std::uint64_t saved_states() {
  if ((cpuid(1, 0, ecx) >> 27 & 1) == 0) return 0;
  std::uint32_t low = 0, high = 0;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return std::uint64_t{high} << 32 | low;
}

/// Names of the features that the level needs and the processor lacks, or "".
std::string missing_features(SimdLevel level) {
  std::string missing;
  for (const Feature& f : kFeatures) {
    if (f.level != level || (cpuid(f.leaf, f.subleaf, f.reg) >> f.bit & 1) != 0) continue;
    missing += missing.empty() ? "the processor lacks " : ", ";
    missing += f.name;
  }
  return missing;
}

/// The XCR0 bits that a level adds: YMM; opmask, upper ZMM, ZMM16-31; tile configuration and data.
std::uint64_t needed_states(SimdLevel level) {
  switch (level) {
    case SimdLevel::v3: return 0x6;
    case SimdLevel::v4:
    case SimdLevel::v4bf16: return 0xe6;
    case SimdLevel::amx: return 0x600e6;
    default: return 0;
  }
}

std::string why_not(SimdLevel level) {
  if (std::string missing = missing_features(level); !missing.empty()) return missing;
  const std::uint64_t needed = needed_states(level);
  if ((saved_states() & needed) != needed) {
    return "the operating system does not save its registers (XCR0)";
  }
  if (level != SimdLevel::amx) return "";
  // Some virtual machines show the feature bits and offer no palette: every tile instruction
  // faults.
  if (cpuid(0x1d, 0, eax) < 1) return "the processor offers no tile palette (CPUID 0x1d)";
  return why_amx_fails();
}

const char* what_it_is(SimdLevel level) {
  switch (level) {
    case SimdLevel::v2: return "SSE4.2: x86-64-v2";
    case SimdLevel::v3: return "AVX2 and FMA: x86-64-v3";
    case SimdLevel::v4: return "AVX-512: x86-64-v4";
    case SimdLevel::v4bf16: return "AVX-512 with dots of bf16 pairs: AVX512_BF16";
    default: return "AMX tiles in bf16; a tile product was tried";
  }
}

}  // namespace

std::vector<SimdSupport> detect_simd_support() {
  std::vector<SimdSupport> support;
  std::string reason;
  for (const SimdLevel level :
       {SimdLevel::v2, SimdLevel::v3, SimdLevel::v4, SimdLevel::v4bf16, SimdLevel::amx}) {
    // A level contains the ones below it.
    if (reason.empty()) reason = why_not(level);
    support.push_back({level, reason.empty(), reason.empty() ? what_it_is(level) : reason});
  }
  return support;
}

/// AMD's processors execute one every cycle, as they do multiply-adds (Zen 4: 231 and 116 GFLOP/s).
/// Intel's need more cycles: on Emerald Rapids oneDNN's bf16 products without AMX had half the rate
/// of f32. No feature bit tells them apart, so the vendor decides. The answer is cached, because
/// CPUID takes microseconds on virtual machines.
bool bf16_dots_are_fast() {
  static const bool fast = [] {
    const std::uint32_t name[3] = {cpuid(0, 0, ebx), cpuid(0, 0, edx), cpuid(0, 0, ecx)};
    return simd_usable(SimdLevel::v4bf16) && std::memcmp(name, "AuthenticAMD", sizeof name) == 0;
  }();
  return fast;
}

std::string cpu_model() {
  std::uint32_t words[12] = {};
  for (std::uint32_t i = 0; i < 3; ++i) {
    for (const Register r : {eax, ebx, ecx, edx}) words[4 * i + r] = cpuid(0x80000002 + i, 0, r);
  }
  char brand[sizeof words + 1] = {};
  std::memcpy(brand, words, sizeof words);
  const std::uint32_t id = cpuid(1, 0, eax);
  std::uint32_t family = id >> 8 & 0xf, model = id >> 4 & 0xf;
  if (family == 6 || family == 15) model += (id >> 16 & 0xf) << 4;
  if (family == 15) family += id >> 20 & 0xff;
  const std::string name(trim(brand));
  return (name.empty() ? "x86-64 processor" : name) + ", family " + std::to_string(family) +
         " model " + std::to_string(model);
}

}  // namespace frugal
#endif
