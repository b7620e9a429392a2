#include "libcore/device/cuda/engines/precision.h"

namespace frugal::cuda {

Products products_from(const Settings& settings) {
  const std::string name = settings.text("precision");
  if (name == "f32") return Products::f32;
  int device = 0;
  cudaDeviceProp facts{};
  check(cudaGetDevice(&device), "cudaGetDevice");
  check(cudaGetDeviceProperties(&facts, device), "cudaGetDeviceProperties");
  const bool has_bf16 = facts.major >= 8;
  if (name == "bf16" && !has_bf16) {
    throw Failure(FRUGAL_UNSUPPORTED,
                  "it has no products of bf16 numbers (sm_80), expected --precision f32");
  }
  return has_bf16 ? Products::bf16 : Products::f32;
}

}  // namespace frugal::cuda
