#pragma once
#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>

#include "libcore/base/float16.h"
#include "libcore/io/tensor.h"

namespace frugal::tensor_file {

/// 8-bit floats (Micikevicius et al., FP8 Formats for Deep Learning, 2022, table 1): E4M3 has no
/// infinity.
struct Float8E4M3 {
  std::uint8_t bits = 0;
};
struct Float8E5M2 {
  std::uint8_t bits = 0;
};
float to_float(Float8E4M3 x);
inline float to_float(Float8E5M2 x) {
  return to_float(Float16{static_cast<std::uint16_t>(x.bits << 8)});
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
    default: return body(Float8E5M2{});
  }
}

/// Element number i, counted in C order.
template <class T>
T element(const Tensor& tensor, std::uint64_t i) {
  T value;
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

/// F16, BF16, F32, F64 and F8.
bool is_floating_point(Dtype dtype);
/// The tensor with its floating-point elements rounded to F16, BF16, F32 or F64 (to nearest, ties
/// to even); `overflows` counts finite elements that became infinite.
Tensor converted(const Tensor& tensor, Dtype to, std::uint64_t& overflows);

}  // namespace frugal::tensor_file
