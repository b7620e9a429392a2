// Feature bits: Linux, Documentation/arch/arm64/elf_hwcaps.rst.
#if defined(__aarch64__)
#include <sys/auxv.h>

#include <cstdint>
#include <cstdio>

#include "libcore/system/cpu.h"

namespace frugal {
namespace {

constexpr unsigned long kCpuid = 1ul << 11, kSve = 1ul << 22;  // AT_HWCAP

}  // namespace

std::vector<SimdSupport> detect_simd_support() {
  const bool sve = (getauxval(AT_HWCAP) & kSve) != 0;
  return {{SimdLevel::neon, true, "Advanced SIMD: every 64-bit Arm processor"},
          {SimdLevel::sve, sve,
           sve ? "scalable vectors" : "the processor or the operating system lacks sve"}};
}

bool bf16_dots_are_fast() { return false; }

std::string cpu_model() {
  if ((getauxval(AT_HWCAP) & kCpuid) == 0) return "64-bit Arm processor";
  std::uint64_t id = 0;  // the kernel answers for the privileged register
  __asm__("mrs %0, midr_el1" : "=r"(id));
  char text[80];
  std::snprintf(text, sizeof text, "64-bit Arm processor, implementer 0x%02x part 0x%03x",
                static_cast<unsigned>(id >> 24 & 0xff), static_cast<unsigned>(id >> 4 & 0xfff));
  return text;
}

}  // namespace frugal
#endif
