// What the plug-in calls of cuBLASLt, in plain loops on this CPU, for tests without a GPU. Matrices
// that do not fit together, or attributes that were not set, find no algorithm, as there.
// FAKE_CUBLASLT_FINDS=nothing: none ever; =sums: only of matrices whose sum is over rows of both.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <map>
#include <vector>

#include "libcore/base/float16.h"
#include "libcore/device/cuda/engines/cublaslt_abi.h"
#include "libcore/device/cuda/host_runtime.h"

using namespace frugal::cuda::cublaslt;

namespace {

struct Attributes {
  std::map<int, std::vector<char>> values;
  int compute = 0;
  template <class T>
  T get(int attribute) const {
    T value{};
    const auto found = values.find(attribute);
    if (found != values.end() && found->second.size() == sizeof value) {
      std::memcpy(&value, found->second.data(), sizeof value);
    }
    return value;
  }
};
struct Layout {
  int type;
  std::uint64_t rows, columns;
  std::int64_t stride;
};
float number(const void* data, int type, std::uint64_t at) {
  return type == kHalf ? frugal::to_float(static_cast<const frugal::BFloat16*>(data)[at])
                       : static_cast<const float*>(data)[at];
}
/// op(X) [rows, columns], X by columns.
struct Matrix {
  const void* data;
  Layout layout;
  bool transposed;
  std::uint64_t rows() const { return transposed ? layout.columns : layout.rows; }
  std::uint64_t columns() const { return transposed ? layout.rows : layout.columns; }
  float at(std::uint64_t i, std::uint64_t j) const {
    if (transposed) std::swap(i, j);
    return number(data, layout.type, i + j * static_cast<std::uint64_t>(layout.stride));
  }
};

unsigned calls = 0, halves = 0, choices_made = 0;

Matrix matrix(const void* data, Object layout, bool transposed) {
  return {data, *static_cast<Layout*>(layout), transposed};
}
bool is_transposed(Object descriptor, int attribute) {
  return static_cast<Attributes*>(descriptor)->get<int>(attribute) == kTransposed;
}

void multiply_now(const Matrix& a, const Matrix& b, const Attributes& how, float alpha, float beta,
                  void* d, const Layout& out) {
  const bool halves = how.compute == kComputeBf16;
  const auto rounded = [&](float x) {
    return halves ? frugal::to_float(frugal::to_bfloat16(x)) : x;
  };
  const int epilogue = how.get<int>(kDescriptorEpilogue);
  const auto* bias = how.get<const void*>(kDescriptorBias);
  for (std::uint64_t j = 0; j < out.columns; ++j) {
    for (std::uint64_t i = 0; i < out.rows; ++i) {
      double sum = 0;
      for (std::uint64_t l = 0; l < a.columns(); ++l)
        sum += double{rounded(a.at(i, l))} * rounded(b.at(l, j));
      const std::uint64_t to = i + j * static_cast<std::uint64_t>(out.stride);
      // The old value may be no number.
      sum = alpha * sum + (beta == 0 ? 0 : beta * number(d, out.type, to));
      if ((epilogue & kEpilogueBias) != 0) sum += number(bias, out.type, i);
      if ((epilogue & kEpilogueRelu) != 0) sum = std::max(sum, 0.0);
      const auto result = static_cast<float>(sum);
      if (out.type == kHalf) {
        static_cast<frugal::BFloat16*>(d)[to] = frugal::to_bfloat16(result);
      } else {
        static_cast<float*>(d)[to] = result;
      }
    }
  }
}

int set_attribute(Object object, int attribute, const void* value, std::size_t bytes) {
  const auto* begin = static_cast<const char*>(value);
  static_cast<Attributes*>(object)->values[attribute].assign(begin, begin + bytes);
  return kSuccess;
}
int destroy_attributes(Object object) {
  delete static_cast<Attributes*>(object);
  return kSuccess;
}

}  // namespace

extern "C" {

unsigned fake_cublaslt_calls() { return calls; }
unsigned fake_cublaslt_halves() { return halves; }
unsigned fake_cublaslt_choices() { return choices_made; }

int cublasLtCreate(Object* handle) {
  *handle = new int(0);
  return kSuccess;
}
int cublasLtDestroy(Object handle) {
  delete static_cast<int*>(handle);
  return kSuccess;
}
std::size_t cublasLtGetVersion() { return 120304; }

int cublasLtMatmulDescCreate(Object* descriptor, int compute, int scale) {
  if ((compute != kComputeF32 && compute != kComputeBf16) || scale != kFloat) return kNotSupported;
  auto* made = new Attributes;
  made->compute = compute;
  *descriptor = made;
  return kSuccess;
}
int cublasLtMatmulDescDestroy(Object descriptor) { return destroy_attributes(descriptor); }
int cublasLtMatmulDescSetAttribute(Object descriptor, int attribute, const void* value,
                                   std::size_t bytes) {
  return set_attribute(descriptor, attribute, value, bytes);
}
int cublasLtMatrixLayoutCreate(Object* layout, int type, std::uint64_t rows, std::uint64_t columns,
                               std::int64_t stride) {
  if ((type != kFloat && type != kHalf) || stride < static_cast<std::int64_t>(rows)) {
    return kNotSupported;
  }
  *layout = new Layout{type, rows, columns, stride};
  return kSuccess;
}
int cublasLtMatrixLayoutDestroy(Object layout) {
  delete static_cast<Layout*>(layout);
  return kSuccess;
}
int cublasLtMatmulPreferenceCreate(Object* preference) {
  *preference = new Attributes;
  return kSuccess;
}
int cublasLtMatmulPreferenceDestroy(Object preference) { return destroy_attributes(preference); }
int cublasLtMatmulPreferenceSetAttribute(Object preference, int attribute, const void* value,
                                         std::size_t bytes) {
  return set_attribute(preference, attribute, value, bytes);
}

int cublasLtMatmulAlgoGetHeuristic(Object, Object descriptor, Object a_layout, Object b_layout,
                                   Object c_layout, Object d_layout, Object preference, int wanted,
                                   Choice* choices, int* found) {
  *found = 0;
  const char* finds = std::getenv("FAKE_CUBLASLT_FINDS");
  const Matrix a = matrix(nullptr, a_layout, is_transposed(descriptor, kDescriptorTransA));
  const Matrix b = matrix(nullptr, b_layout, is_transposed(descriptor, kDescriptorTransB));
  const Layout& d = *static_cast<Layout*>(d_layout);
  const auto& how = *static_cast<Attributes*>(descriptor);
  const auto& wishes = *static_cast<Attributes*>(preference);
  const bool has_bias = how.get<const void*>(kDescriptorBias) != nullptr;
  const std::uint32_t number_bytes = d.type == kHalf ? 2 : sizeof(float);
  bool fits = wanted >= 1 && a.layout.type == b.layout.type &&
              (d.type == kFloat || a.layout.type == kHalf) && c_layout == d_layout &&
              a.columns() == b.rows() && d.rows == a.rows() && d.columns == b.columns() &&
              has_bias == ((how.get<int>(kDescriptorEpilogue) & kEpilogueBias) != 0) &&
              wishes.get<std::uint64_t>(kPreferWorkspace) != 0;
  for (const int side :
       {kPreferAlignmentA, kPreferAlignmentB, kPreferAlignmentC, kPreferAlignmentD}) {
    fits = fits && wishes.get<std::uint32_t>(side) >= number_bytes;
  }
  const bool sums = is_transposed(descriptor, kDescriptorTransB);
  if (!fits || (finds != nullptr && (*finds != 's' || !sums))) return kNotSupported;
  ++choices_made;
  choices[0] = {};
  choices[0].status = kSuccess;
  *found = 1;
  return kSuccess;
}

int cublasLtMatmul(Object, Object descriptor, const void* alpha, const void* a, Object a_layout,
                   const void* b, Object b_layout, const void* beta, const void* c, Object, void* d,
                   Object d_layout, const Algorithm* algorithm, void* workspace, std::size_t,
                   void* stream) {
  if (c != d || algorithm == nullptr || workspace == nullptr) return kNotSupported;
  ++calls;
  halves += static_cast<Layout*>(a_layout)->type == kHalf ? 1 : 0;
  const Matrix left = matrix(a, a_layout, is_transposed(descriptor, kDescriptorTransA));
  const Matrix right = matrix(b, b_layout, is_transposed(descriptor, kDescriptorTransB));
  frugal::host_cuda::give(
      static_cast<cudaStream_t>(stream),
      [left, right, how = *static_cast<Attributes*>(descriptor),
       by = *static_cast<const float*>(alpha), keep = *static_cast<const float*>(beta), d,
       out = *static_cast<Layout*>(d_layout)] {
        frugal::host_cuda::count_launch();
        multiply_now(left, right, how, by, keep, d, out);
      });
  return kSuccess;
}
}
