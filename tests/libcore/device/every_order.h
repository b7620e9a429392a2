#pragma once
// Orders in which the host runs the threads of a kernel: what is right in all of them needs no
// luck.
#include <doctest/doctest.h>

#include <cstdlib>
#include <functional>
#include <string>

#include "tests/support/sanitized.h"

namespace frugal::device_test {

inline constexpr int kOrders = kSanitized ? 1 : 4;

/// body() in each order of the threads.
inline void in_every_order(const std::function<void()>& body) {
  for (int order = 0; order < kOrders; ++order) {
    CAPTURE(order);
    setenv("FRUGAL_HOST_CUDA_ORDER", std::to_string(order).c_str(), 1);
    body();
  }
}

}  // namespace frugal::device_test
