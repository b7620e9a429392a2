#pragma once
/// Failures of CUDA as exceptions. They never leave the plug-in: border.h.
#include <algorithm>
#include <exception>
#include <iterator>
#include <string>
#include <utility>

#include "libcore/device/plugin_abi.h"
#ifdef __CUDACC__
#include <cuda_runtime.h>
#else
#include "libcore/device/cuda/host_runtime.h"
#endif

namespace frugal::cuda {

/// A failure, with the status that the plug-in's caller gets.
class Failure : public std::exception {
 public:
  Failure(frugal_status status, std::string words) : status_(status), words_(std::move(words)) {}
  frugal_status status() const { return status_; }
  const char* what() const noexcept override { return words_.c_str(); }

 private:
  frugal_status status_;
  std::string words_;
};

/// Errors of the machine, after which the same program may succeed: devices unavailable,
/// uncorrectable ECC and NVLink errors, launch timeout, context destroyed, hardware stack error,
/// launch failure, unknown. All others (a missing kernel image, an invalid launch, a wrong address)
/// are bugs that recur with every attempt.
inline constexpr int kErrorsOfTheMachine[] = {46, 214, 220, 702, 709, 714, 719, 999};

inline frugal_status status_of(cudaError_t error) {
  if (error == cudaErrorMemoryAllocation) return FRUGAL_NO_MEMORY;
  const int* end = std::end(kErrorsOfTheMachine);
  const bool lost = std::find(std::begin(kErrorsOfTheMachine), end, static_cast<int>(error)) != end;
  return lost ? FRUGAL_LOST : FRUGAL_FAILED;
}

/// Throws Failure unless the call succeeded. Clears CUDA's last error, for which the next launch
/// would otherwise be blamed.
inline void check(cudaError_t error, const char* what) {
  if (error == cudaSuccess) return;
  cudaGetLastError();
  throw Failure(status_of(error), std::string(what) + ": " + cudaGetErrorString(error));
}

}  // namespace frugal::cuda
