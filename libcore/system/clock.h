#pragma once

namespace frugal {

/// Seconds on a monotonic clock; only differences have a meaning.
double wall_seconds();
/// CPU seconds, user and system, of all threads of this process.
double cpu_seconds();
/// Seconds since 1970, or SOURCE_DATE_EPOCH if that is set, so that outputs can be reproduced.
double unix_seconds();

}  // namespace frugal
