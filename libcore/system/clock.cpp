#include "libcore/system/clock.h"

#include <time.h>

#include <cstdlib>

#include "libcore/base/error.h"
#include "libcore/base/text.h"

namespace frugal {
namespace {

double read_clock(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

constexpr std::uint64_t kMostSeconds = std::uint64_t{1} << 53;  ///< exact as doubles

}  // namespace

double wall_seconds() { return read_clock(CLOCK_MONOTONIC); }
double cpu_seconds() { return read_clock(CLOCK_PROCESS_CPUTIME_ID); }

double unix_seconds() {
  const char* epoch = std::getenv("SOURCE_DATE_EPOCH");
  if (epoch == nullptr || *epoch == '\0') return read_clock(CLOCK_REALTIME);
  const auto seconds = parse_number<std::uint64_t>(epoch);
  if (seconds && *seconds <= kMostSeconds) return static_cast<double>(*seconds);
  fail(ExitStatus::usage, "SOURCE_DATE_EPOCH is '", printable(epoch),
       "', expected seconds since 1970, at most ", kMostSeconds);
}

}  // namespace frugal
