#if defined(__x86_64__)
#include "libcore/system/amx_trial.h"

#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdint>

#include "libcore/base/error.h"

namespace frugal {
namespace {

enum Outcome : int { works = 0, refused = 1, wrong_product = 2 };

bool request_tiles() {
  constexpr long kRequestPermission = 0x1023, kTileData = 18;  // linux: asm/prctl.h
  return syscall(SYS_arch_prctl, kRequestPermission, kTileData) == 0;
}

/// Ones times ones in three 16 x 64 byte tiles: every sum of 32 products is 32. Assembly, because
/// the baseline that this file is compiled for has no tile intrinsics.
bool tile_product_is_right() {
  struct alignas(64) Config {
    std::uint8_t palette = 1, start_row = 0, reserved[14] = {};
    std::uint16_t row_bytes[16] = {64, 64, 64};
    std::uint8_t rows[16] = {16, 16, 16};
  } config;
  alignas(64) static std::uint16_t ones[16 * 32];
  alignas(64) static float sums[16 * 16];
  for (std::uint16_t& one : ones) one = 0x3f80;  // 1.0 in bf16
  __asm__ volatile(
      "ldtilecfg %[config]\n\t"
      "tilezero %%tmm0\n\t"
      "tileloadd (%[ones],%[stride],1), %%tmm1\n\t"
      "tileloadd (%[ones],%[stride],1), %%tmm2\n\t"
      "tdpbf16ps %%tmm2, %%tmm1, %%tmm0\n\t"
      "tilestored %%tmm0, (%[sums],%[stride],1)\n\t"
      "tilerelease"
      :
      : [config] "m"(config), [ones] "r"(ones), [sums] "r"(sums), [stride] "r"(std::size_t{64})
      : "memory");
  for (const float sum : sums) {
    if (sum != 32.0f) return false;
  }
  return true;
}

[[noreturn]] void run_child() {
  for (const int fatal : {SIGILL, SIGSEGV, SIGBUS, SIGSYS, SIGTRAP}) std::signal(fatal, SIG_DFL);
  const rlimit no_core{0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  _exit(!request_tiles() ? refused : tile_product_is_right() ? works : wrong_product);
}

}  // namespace

std::string why_amx_fails() {
  const pid_t child = fork();
  if (child < 0) return "no process could be started to try it: " + errno_text(errno);
  if (child == 0) run_child();
  int status = 0;
  while (waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return "its trial could not be waited for: " + errno_text(errno);
  }
  if (WIFSIGNALED(status))
    return "a tile product died by signal " + std::to_string(WTERMSIG(status));
  if (WEXITSTATUS(status) == wrong_product) return "a tile product gave wrong sums";
  if (WEXITSTATUS(status) != works || !request_tiles()) {
    return "the kernel refuses the tile registers (arch_prctl)";
  }
  return "";
}

}  // namespace frugal
#endif
