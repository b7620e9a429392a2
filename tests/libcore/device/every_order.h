#pragma once
// Orders in which the host runs the threads of a kernel: a kernel that is right in all of them
// needs no luck. A GPU, whose plug-in FRUGAL_TEST_PLUGINS names, orders its threads itself.
#include <doctest/doctest.h>

#include <cstdlib>
#include <functional>
#include <string>

#include "tests/support/sanitized.h"

namespace frugal::device_test {

inline int num_orders() {
  return kSanitized || std::getenv("FRUGAL_TEST_PLUGINS") != nullptr ? 1 : 4;
}

/// Runs body() in each order of the threads.
inline void in_every_order(const std::function<void()>& body) {
  for (int order = 0; order < num_orders(); ++order) {
    CAPTURE(order);
    setenv("FRUGAL_HOST_CUDA_ORDER", std::to_string(order).c_str(), 1);
    body();
  }
}

}  // namespace frugal::device_test
