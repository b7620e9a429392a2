#pragma once
/// One source of kernels for two compilers: nvcc makes device code; a host compiler runs them on
/// fibres (host_cuda.h), for tests without a GPU. Only this file distinguishes them. C++17, for all
/// toolkits from 11.8 on. Kernels do not use cooperative groups.
#include "libcore/device/cuda/failure.h"

#ifdef __CUDACC__
#define FRUGAL_KERNEL __global__ void
#define FRUGAL_DEVICE __device__ __forceinline__
/// Qualifies functions that both kernels and host code call.
#define FRUGAL_BOTH __host__ __device__ __forceinline__
/// Qualifies a parameter that all threads read in place, without a copy.
#define FRUGAL_CONSTANT __grid_constant__
/// Unrolls the loop that follows.
#define FRUGAL_UNROLL _Pragma("unroll")
/// Declares an array in shared memory of the block; uninitialised, and aligned for loads of tiles.
#define FRUGAL_SHARED(type, name, size) __shared__ alignas(32) type name[(size)]
#else
#define FRUGAL_KERNEL inline void
#define FRUGAL_DEVICE inline
#define FRUGAL_BOTH inline
#define FRUGAL_CONSTANT
#define FRUGAL_UNROLL
// NOLINTBEGIN(bugprone-macro-parentheses): a type
#define FRUGAL_SHARED(type, name, size)              \
  alignas(32) static thread_local type name[(size)]; \
  ::frugal::host_cuda::enter_shared(name, sizeof name)
// NOLINTEND(bugprone-macro-parentheses)
#endif

namespace frugal::cuda {

/// Launches a kernel on the stream. A grid without blocks launches nothing. Throws Failure if the
/// launch is refused.
template <class... Parameters, class... Arguments>
void launch(void (*kernel)(Parameters...), dim3 grid, dim3 block, cudaStream_t stream,
            Arguments... arguments) {
  if (grid.x == 0 || grid.y == 0 || grid.z == 0) return;
#ifdef __CUDACC__
  kernel<<<grid, block, 0, stream>>>(static_cast<Parameters>(arguments)...);
#else
  host_cuda::launch_kernel(kernel, grid, block, stream, static_cast<Parameters>(arguments)...);
#endif
  check(cudaGetLastError(), "launch");
}

inline constexpr unsigned kThreads = 256;

/// Grid with one thread for each of n numbers, in blocks of kThreads.
inline dim3 grid_for(std::uint64_t n) {
  return dim3(static_cast<unsigned>((n + kThreads - 1) / kThreads));
}

}  // namespace frugal::cuda
