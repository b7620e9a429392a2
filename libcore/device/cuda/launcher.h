#pragma once
/// One source of kernels, two compilers: nvcc makes device code of it, a host compiler runs it on
/// fibres (host_cuda.h), for tests without a GPU. Nothing else of this folder knows which.
/// C++17, so that every toolkit from 11.8 on takes it. Kernels use no cooperative groups.
#include "libcore/device/cuda/failure.h"

#ifdef __CUDACC__
#define FRUGAL_KERNEL __global__ void
#define FRUGAL_DEVICE __device__ __forceinline__
/// Called by kernels and by what launches them.
#define FRUGAL_BOTH __host__ __device__ __forceinline__
/// Qualifies an argument that all threads read where it lies, without a copy.
#define FRUGAL_CONSTANT __grid_constant__
/// Unrolls the loop that follows.
#define FRUGAL_UNROLL _Pragma("unroll")
/// An array in the memory that the threads of a block share; uninitialised, and aligned for loads
/// of tiles.
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

/// Runs a kernel after what the stream was given before. A grid without blocks is no work: nothing
/// is launched. Throws Failure where the launch is refused.
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

/// A grid that gives each of n numbers a thread, in blocks of kThreads.
inline dim3 grid_for(std::uint64_t n) {
  return dim3(static_cast<unsigned>((n + kThreads - 1) / kThreads));
}

}  // namespace frugal::cuda
