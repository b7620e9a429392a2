#pragma once
/// Declarations of the cuBLASLt functions that we call (NVIDIA's reference, chapter "Using the
/// cuBLASLt API"). Neither its header nor its library is needed for building: product_library.cpp
/// loads it.
#include <cstddef>
#include <cstdint>

namespace frugal::cuda::cublaslt {

struct Algorithm {
  std::uint64_t data[8];
};
struct Choice {
  Algorithm algorithm;
  std::size_t workspace;  ///< bytes
  int status;
  float waves;
  int reserved[4];
};

using Object = void*;  ///< a handle, descriptor, layout or preference
using Create = int (*)(Object*);
using Destroy = int (*)(Object);
using GetVersion = std::size_t (*)();
using CreateDescriptor = int (*)(Object*, int compute, int scale);
using CreateLayout = int (*)(Object*, int type, std::uint64_t rows, std::uint64_t columns,
                             std::int64_t stride);
using SetAttribute = int (*)(Object, int attribute, const void* value, std::size_t bytes);
using Choose = int (*)(Object handle, Object descriptor, Object a, Object b, Object c, Object d,
                       Object preference, int wanted, Choice* choices, int* found);
/// D = alpha op(A) op(B) + beta C.
using Multiply = int (*)(Object handle, Object descriptor, const void* alpha, const void* a,
                         Object a_layout, const void* b, Object b_layout, const void* beta,
                         const void* c, Object c_layout, void* d, Object d_layout,
                         const Algorithm* algorithm, void* workspace, std::size_t bytes,
                         void* stream);

inline constexpr int kSuccess = 0, kInvalidValue = 7, kExecutionFailed = 13, kNotSupported = 15;
inline constexpr int kFloat = 0, kHalf = 14;  ///< CUDA_R_32F, CUDA_R_16BF
inline constexpr int kComputeF32 = 68, kComputeBf16 = 75;
inline constexpr int kTransposed = 1;
inline constexpr int kDescriptorTransA = 3, kDescriptorTransB = 4, kDescriptorEpilogue = 7,
                     kDescriptorBias = 8;
inline constexpr int kEpilogueNone = 1, kEpilogueRelu = 2, kEpilogueBias = 4;  ///< may be added
inline constexpr int kPreferWorkspace = 1, kPreferAlignmentA = 5, kPreferAlignmentB = 6,
                     kPreferAlignmentC = 7, kPreferAlignmentD = 8;

}  // namespace frugal::cuda::cublaslt
