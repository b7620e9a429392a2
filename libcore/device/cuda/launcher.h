#pragma once
/// One source of kernels, two compilers: nvcc makes device code of it, a host compiler runs it on
/// fibres (host_cuda.h), for tests without a GPU. Nothing else of this folder knows which.
/// C++17, so that every toolkit from 11.8 on takes it. Kernels use no cooperative groups.
#ifdef __CUDACC__
#include <cuda_runtime.h>

#define FRUGAL_KERNEL static __global__ void
#define FRUGAL_DEVICE __device__ __forceinline__
/// Called by kernels and by what launches them.
#define FRUGAL_BOTH __host__ __device__ __forceinline__
/// An array in the memory that the threads of a block share; uninitialised.
#define FRUGAL_SHARED(type, name, size) __shared__ type name[(size)]
#else
#include "libcore/device/cuda/host_cuda.h"
#include "libcore/device/cuda/host_runtime.h"

#define FRUGAL_KERNEL inline void
#define FRUGAL_DEVICE inline
#define FRUGAL_BOTH inline
// NOLINTBEGIN(bugprone-macro-parentheses): a type
#define FRUGAL_SHARED(type, name, size)  \
  static thread_local type name[(size)]; \
  ::frugal::host_cuda::enter_shared(name, sizeof name)
// NOLINTEND(bugprone-macro-parentheses)
#endif

namespace frugal::cuda {

/// Runs a kernel after what the stream was given before.
template <class... Parameters, class... Arguments>
void launch(void (*kernel)(Parameters...), dim3 grid, dim3 block, cudaStream_t stream,
            Arguments... arguments) {
#ifdef __CUDACC__
  kernel<<<grid, block, 0, stream>>>(static_cast<Parameters>(arguments)...);
#else
  host_cuda::launch_kernel(kernel, grid, block, stream, static_cast<Parameters>(arguments)...);
#endif
}

inline constexpr unsigned kThreads = 256;

/// A grid that gives each of n numbers a thread, in blocks of kThreads.
inline dim3 grid_for(std::uint64_t n) {
  return dim3(static_cast<unsigned>(n == 0 ? 1 : (n + kThreads - 1) / kThreads));
}

}  // namespace frugal::cuda
