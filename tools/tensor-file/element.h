#pragma once
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <type_traits>

#include "libcore/base/float16.h"
#include "libcore/tensors/tensor.h"

namespace frugal::tensor_file {

/// Values of a small float that are no finite numbers.
enum class Specials { none, infinities, nan_at_top, nan_at_minus_zero };

/// Floats of up to 8 bits: FP8 Formats for Deep Learning (Micikevicius et al., 2022, table 1),
/// 8-bit Numerical Formats for Deep Neural Networks (Noune et al., 2022), OCP Microscaling
/// Formats 1.0.
template <int kExponentBits, int kMantissaBits, int kBias, Specials kSpecials>
struct SmallFloat {
  static constexpr int kBits = 1 + kExponentBits + kMantissaBits;
  std::uint8_t bits = 0;
};
using Float8E4M3 = SmallFloat<4, 3, 7, Specials::nan_at_top>;
using Float8E5M2 = SmallFloat<5, 2, 15, Specials::infinities>;
using Float8E4M3Fnuz = SmallFloat<4, 3, 8, Specials::nan_at_minus_zero>;
using Float8E5M2Fnuz = SmallFloat<5, 2, 16, Specials::nan_at_minus_zero>;
using Float6E2M3 = SmallFloat<2, 3, 1, Specials::none>;
using Float6E3M2 = SmallFloat<3, 2, 3, Specials::none>;
using Float4E2M1 = SmallFloat<2, 1, 1, Specials::none>;
/// A power of two without sign, the scale of a block in the microscaling formats.
struct Float8E8M0 {
  static constexpr int kBits = 8;
  std::uint8_t bits = 0;
};

float small_float(int bits, int mantissa_bits, int bias);
float to_float(Float8E8M0 x);
template <int kExponentBits, int kMantissaBits, int kBias, Specials kSpecials>
float to_float(SmallFloat<kExponentBits, kMantissaBits, kBias, kSpecials> x) {
  constexpr int kSign = 1 << (kExponentBits + kMantissaBits);
  constexpr int kTop = kSign - 1, kMantissas = 1 << kMantissaBits;
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  const int magnitude = x.bits & kTop;
  const float sign = x.bits & kSign ? -1.0f : 1.0f;
  if (kSpecials == Specials::nan_at_minus_zero && x.bits == kSign) return kNan;
  if (kSpecials == Specials::nan_at_top && magnitude == kTop) return kNan;
  if (kSpecials == Specials::infinities && magnitude > kTop - kMantissas) {
    return magnitude == kTop - kMantissas + 1 ? sign * std::numeric_limits<float>::infinity()
                                              : kNan;
  }
  return sign * small_float(magnitude, kMantissaBits, kBias);
}

struct Complex64 {
  float real = 0;
  float imaginary = 0;
};

/// Calls body with a value of the C++ type of the elements.
template <class Body>
decltype(auto) with_element_type(Dtype dtype, Body&& body) {
  switch (dtype) {
    case Dtype::boolean:
    case Dtype::u8: return body(std::uint8_t{});
    case Dtype::i8: return body(std::int8_t{});
    case Dtype::i16: return body(std::int16_t{});
    case Dtype::u16: return body(std::uint16_t{});
    case Dtype::f16: return body(Float16{});
    case Dtype::bf16: return body(BFloat16{});
    case Dtype::i32: return body(std::int32_t{});
    case Dtype::u32: return body(std::uint32_t{});
    case Dtype::f32: return body(float{});
    case Dtype::f64: return body(double{});
    case Dtype::i64: return body(std::int64_t{});
    case Dtype::u64: return body(std::uint64_t{});
    case Dtype::c64: return body(Complex64{});
    case Dtype::f8_e4m3: return body(Float8E4M3{});
    case Dtype::f8_e5m2: return body(Float8E5M2{});
    case Dtype::f8_e8m0: return body(Float8E8M0{});
    case Dtype::f8_e4m3fnuz: return body(Float8E4M3Fnuz{});
    case Dtype::f8_e5m2fnuz: return body(Float8E5M2Fnuz{});
    case Dtype::f6_e2m3: return body(Float6E2M3{});
    case Dtype::f6_e3m2: return body(Float6E3M2{});
    default: return body(Float4E2M1{});
  }
}

/// Element number i, counted in C order. Elements of less than a byte begin at its lowest bit.
template <class T>
T element(const Tensor& tensor, std::uint64_t i) {
  T value;
  if constexpr (requires { T::kBits; }) {
    const std::uint64_t bit = i * T::kBits, last = (bit + T::kBits - 1) / 8;
    const int low = std::to_integer<int>(tensor.bytes[bit / 8]);
    const int high = std::to_integer<int>(tensor.bytes[last]);
    const int both = last == bit / 8 ? low : low | high << 8;
    value.bits = static_cast<std::uint8_t>(both >> bit % 8 & ((1 << T::kBits) - 1));
    return value;
  }
  std::memcpy(&value, tensor.bytes.data() + i * sizeof(T), sizeof(T));
  return value;
}

/// Small floats as float, everything else as it is.
template <class T>
auto widened(T value) {
  if constexpr (std::is_arithmetic_v<T>) {
    return value;
  } else {
    return to_float(value);
  }
}

/// Appends the shortest decimal text that reads back as the same value: "1", "0.1", "nan", "1-2j".
void append_element(std::string& text, const Tensor& tensor, std::uint64_t i);

/// "[3, 0, 7]": where element number i of that shape is.
std::string index_text(std::uint64_t i, const Shape& shape);

/// F16, BF16, F32, F64 and smaller ones.
bool is_floating_point(Dtype dtype);
/// The tensor with its floating-point elements rounded to F16, BF16, F32 or F64 (to nearest, ties
/// to even); `overflows` counts finite elements that became infinite.
Tensor converted(const Tensor& tensor, Dtype to, std::uint64_t& overflows);

}  // namespace frugal::tensor_file
