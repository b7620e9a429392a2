#pragma once
// Whether sanitizers watch the program. Tests that they make many times as long do less then, for
// the release build does all.

namespace frugal {

/// CUDA kernels on the host take fifty times as long: a stack for every thread is watched.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif

}  // namespace frugal
