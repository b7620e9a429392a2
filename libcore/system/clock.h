#pragma once

namespace frugal {

/// Seconds on a monotonic clock; differences only.
double wall_seconds();
/// CPU seconds of all threads of this process, user and system.
double cpu_seconds();
/// Seconds since 1970; SOURCE_DATE_EPOCH where it is set, so that outputs can be reproduced.
double unix_seconds();

}  // namespace frugal
