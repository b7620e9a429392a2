// Compiled where NVIDIA's header is: our declarations of cuBLASLt are its own.
#include <cublasLt.h>

#include <cstddef>
#include <type_traits>

#include "libcore/device/cuda/engines/cublaslt_abi.h"

namespace ours = frugal::cuda::cublaslt;

static_assert(sizeof(ours::Algorithm) == sizeof(cublasLtMatmulAlgo_t));
static_assert(sizeof(ours::Choice) == sizeof(cublasLtMatmulHeuristicResult_t));
static_assert(offsetof(ours::Choice, workspace) ==
              offsetof(cublasLtMatmulHeuristicResult_t, workspaceSize));
static_assert(offsetof(ours::Choice, status) == offsetof(cublasLtMatmulHeuristicResult_t, state));
static_assert(sizeof(cublasLtHandle_t) == sizeof(ours::Object));
static_assert(sizeof(cublasStatus_t) == sizeof(int) && CUBLAS_STATUS_SUCCESS == ours::kSuccess);
static_assert(CUBLAS_STATUS_INVALID_VALUE == ours::kInvalidValue &&
              CUBLAS_STATUS_EXECUTION_FAILED == ours::kExecutionFailed &&
              CUBLAS_STATUS_NOT_SUPPORTED == ours::kNotSupported);
static_assert(CUDA_R_16BF == ours::kHalf);
static_assert(CUDA_R_32F == ours::kFloat && CUBLAS_OP_T == ours::kTransposed);
static_assert(CUBLAS_COMPUTE_32F == ours::kComputeF32);
static_assert(CUBLAS_COMPUTE_32F_FAST_16BF == ours::kComputeBf16);
static_assert(CUBLASLT_MATMUL_DESC_TRANSA == ours::kDescriptorTransA);
static_assert(CUBLASLT_MATMUL_DESC_TRANSB == ours::kDescriptorTransB);
static_assert(CUBLASLT_MATMUL_DESC_EPILOGUE == ours::kDescriptorEpilogue);
static_assert(CUBLASLT_MATMUL_DESC_BIAS_POINTER == ours::kDescriptorBias);
static_assert(CUBLASLT_EPILOGUE_DEFAULT == ours::kEpilogueNone);
static_assert(CUBLASLT_EPILOGUE_RELU == ours::kEpilogueRelu);
static_assert(CUBLASLT_EPILOGUE_BIAS == ours::kEpilogueBias);
static_assert(CUBLASLT_EPILOGUE_RELU_BIAS == ours::kEpilogueRelu + ours::kEpilogueBias);
static_assert(CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES == ours::kPreferWorkspace);
static_assert(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES == ours::kPreferAlignmentA);
static_assert(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES == ours::kPreferAlignmentB);
static_assert(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES == ours::kPreferAlignmentC);
static_assert(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES == ours::kPreferAlignmentD);

// A function of theirs takes as many parameters, each of the size of ours.
template <class Ours, class Theirs>
struct SameCall : std::false_type {};
template <class... A, class... B, class R, class S>
struct SameCall<R (*)(A...), S(B...)> {
  static constexpr bool value = [] {
    if constexpr (sizeof...(A) != sizeof...(B))
      return false;
    else  // NOLINTNEXTLINE(bugprone-sizeof-expression): sizes of pointers are meant
      return ((sizeof(A) == sizeof(B)) && ...) && sizeof(R) == sizeof(S);
  }();
};
static_assert(SameCall<ours::Create, decltype(cublasLtCreate)>::value);
static_assert(SameCall<ours::Destroy, decltype(cublasLtDestroy)>::value);
static_assert(SameCall<ours::GetVersion, decltype(cublasLtGetVersion)>::value);
static_assert(SameCall<ours::CreateDescriptor, decltype(cublasLtMatmulDescCreate)>::value);
static_assert(SameCall<ours::SetAttribute, decltype(cublasLtMatmulDescSetAttribute)>::value);
static_assert(SameCall<ours::CreateLayout, decltype(cublasLtMatrixLayoutCreate)>::value);
static_assert(SameCall<ours::Create, decltype(cublasLtMatmulPreferenceCreate)>::value);
static_assert(SameCall<ours::SetAttribute, decltype(cublasLtMatmulPreferenceSetAttribute)>::value);
static_assert(SameCall<ours::Choose, decltype(cublasLtMatmulAlgoGetHeuristic)>::value);
static_assert(SameCall<ours::Multiply, decltype(cublasLtMatmul)>::value);
