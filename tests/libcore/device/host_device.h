#pragma once
// The plug-in whose CUDA kernels run on this CPU, or the one in $FRUGAL_TEST_PLUGINS.
#include <cstdlib>

namespace frugal::device_test {

inline void use_host_device() {
  const char* other = std::getenv("FRUGAL_TEST_PLUGINS");
  setenv("FRUGAL_PLUGIN_DIR", other == nullptr ? HOST_CUDA : other, 1);
}

}  // namespace frugal::device_test
