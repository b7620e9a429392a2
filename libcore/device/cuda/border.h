#pragma once
/// Boundary of the plug-in: exceptions become a status and a message, names become numbers.
#include <cstdio>
#include <new>
#include <string>

#include "libcore/device/cuda/resources.h"
#include "libcore/device/plugin_abi.h"

namespace frugal::cuda {

inline int say(frugal_message message, frugal_status status, const char* words) {
  if (message.text != nullptr && message.size != 0) {
    std::snprintf(message.text, message.size, "%s", words);
  }
  return status;
}

/// Calls body() and converts an exception to a status.
template <class Body>
int guarded(frugal_message error, const Body& body) {
  try {
    body();
    return FRUGAL_OK;
  } catch (const Failure& failure) {
    return say(error, failure.status(), failure.what());
  } catch (const std::bad_alloc&) {
    return say(error, FRUGAL_NO_MEMORY, "out of memory of the host");
  } catch (const std::exception& failure) {
    return say(error, FRUGAL_FAILED, failure.what());
  }
}

}  // namespace frugal::cuda
