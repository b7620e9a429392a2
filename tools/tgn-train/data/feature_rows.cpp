#include "tools/tgn-train/data/feature_rows.h"

#include <cassert>
#include <cstdint>
#include <cstring>

#include "libcore/base/float16.h"

namespace frugal::tgn {
namespace {

/// Whether none of the numbers has all bits of the exponent set; a loop that compilers vectorise.
template <class Bits>
bool all_finite(const std::byte* data, std::size_t n, Bits exponent) {
  const Bits* const numbers = reinterpret_cast<const Bits*>(data);
  bool finite = true;
  for (std::size_t i = 0; i < n; ++i) finite &= (numbers[i] & exponent) != exponent;
  return finite;
}

template <class T>
void widen(const std::byte* from, std::size_t n, float* to) {
  const T* const numbers = reinterpret_cast<const T*>(from);
  for (std::size_t i = 0; i < n; ++i) to[i] = to_float(numbers[i]);
}

}  // namespace

void FeatureRows::read(std::size_t r, float* out) const {
  assert(r < rows);
  const std::byte* const row = data + r * row_bytes();
  switch (dtype) {
    case Dtype::f16: return widen<Float16>(row, dim, out);
    case Dtype::bf16: return widen<BFloat16>(row, dim, out);
    default: std::memcpy(out, row, row_bytes());
  }
}

bool FeatureRows::is_finite(std::size_t r) const {
  assert(r < rows);
  const std::byte* const row = data + r * row_bytes();
  switch (dtype) {
    case Dtype::f16: return all_finite<std::uint16_t>(row, dim, 0x7c00U);
    case Dtype::bf16: return all_finite<std::uint16_t>(row, dim, 0x7f80U);
    default: return all_finite<std::uint32_t>(row, dim, 0x7f800000U);
  }
}

void store_features(const float* from, std::size_t n, Dtype dtype, std::byte* to) {
  if (dtype == Dtype::f32) {
    if (n != 0) std::memcpy(to, from, n * sizeof(float));
    return;
  }
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint16_t bits =
        dtype == Dtype::f16 ? to_float16(from[i]).bits : to_bfloat16(from[i]).bits;
    std::memcpy(to + i * sizeof bits, &bits, sizeof bits);
  }
}

}  // namespace frugal::tgn
