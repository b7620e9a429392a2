#pragma once
#include <cstddef>
#include <functional>

#include "libcore/threading/num_threads.h"

namespace frugal {

/// Calls body(begin, end, thread) on contiguous ranges that cover [0, n), one range per thread,
/// with thread in [0, num_threads()). The ranges depend only on n and the number of threads. The
/// first exception is rethrown on the caller's thread. Nested calls run on the calling thread.
void parallel_ranges(
    std::size_t n, const std::function<void(std::size_t begin, std::size_t end, int thread)>& body);

/// Calls body(i) for i in [0, n). Free threads take `grain` consecutive items at a time.
void parallel_for(std::size_t n, std::size_t grain, const std::function<void(std::size_t i)>& body);

/// Calls body(begin, end) on ranges that cover [0, n): one per thread, but none shorter than
/// `least` items. For loops of microseconds: it starts faster than parallel_ranges(). Nested calls
/// run on the calling thread.
void parallel_blocks(std::size_t n, std::size_t least,
                     const std::function<void(std::size_t begin, std::size_t end)>& body);

/// Calls body(thread) once on each of num_threads() threads at the same time.
void parallel_threads(const std::function<void(int thread)>& body);

}  // namespace frugal
