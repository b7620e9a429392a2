#include "tools/tensor-file/element.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <charconv>
#include <cmath>

namespace frugal::tensor_file {
namespace {

template <class T>
void append_number(std::string& text, T value) {
  std::array<char, 32> buffer{};
  const auto [end, error] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  text.append(buffer.data(), end);
}

void append_value(std::string& text, Complex64 value) {
  append_number(text, value.real);
  if (!std::signbit(value.imaginary)) text += '+';
  append_number(text, value.imaginary);
  text += 'j';
}

template <class T>
void append_value(std::string& text, T value) {
  append_number(text, widened(value));
}

template <class To>
To rounded(double value) {
  if constexpr (std::is_same_v<To, BFloat16>) {
    return to_bfloat16(rounded_to_odd(value));
  } else if constexpr (std::is_same_v<To, Float16>) {
    return to_float16(rounded_to_odd(value));
  } else {
    return static_cast<To>(value);
  }
}

template <class From, class To>
void convert_elements(const Tensor& from, Tensor& to, std::uint64_t& overflows) {
  const std::uint64_t count = num_elements(from.shape);
  for (std::uint64_t i = 0; i < count; ++i) {
    const auto value = static_cast<double>(widened(element<From>(from, i)));
    const To result = rounded<To>(value);
    overflows += std::isfinite(value) && !std::isfinite(static_cast<double>(widened(result)));
    std::memcpy(to.bytes.data() + i * sizeof(To), &result, sizeof(To));
  }
}

template <class From>
void convert_to(const Tensor& from, Tensor& to, std::uint64_t& overflows) {
  switch (to.dtype) {
    case Dtype::f16: return convert_elements<From, Float16>(from, to, overflows);
    case Dtype::bf16: return convert_elements<From, BFloat16>(from, to, overflows);
    case Dtype::f32: return convert_elements<From, float>(from, to, overflows);
    default: return convert_elements<From, double>(from, to, overflows);
  }
}

}  // namespace

float small_float(int bits, int mantissa_bits, int bias) {
  const int exponent = bits >> mantissa_bits;
  const int mantissa = bits & ((1 << mantissa_bits) - 1);
  const int leading = exponent == 0 ? 0 : 1 << mantissa_bits;
  return std::ldexp(static_cast<float>(leading + mantissa),
                    std::max(exponent, 1) - bias - mantissa_bits);
}

float to_float(Float8E8M0 x) {
  constexpr int kBias = 127;
  if (x.bits == 255) return std::numeric_limits<float>::quiet_NaN();
  return std::ldexp(1.0f, x.bits - kBias);
}

void append_element(std::string& text, const Tensor& tensor, std::uint64_t i) {
  with_element_type(tensor.dtype,
                    [&](auto type) { append_value(text, element<decltype(type)>(tensor, i)); });
}

std::string index_text(std::uint64_t i, const Shape& shape) {
  Shape index(shape.size());
  for (std::size_t d = shape.size(); d-- > 0; i /= shape[d]) index[d] = i % shape[d];
  return shape_text(index);
}

bool is_floating_point(Dtype dtype) {
  return with_element_type(dtype, [](auto type) {
    using T = decltype(type);
    return !std::is_integral_v<T> && !std::is_same_v<T, Complex64>;
  });
}

Tensor converted(const Tensor& tensor, Dtype to, std::uint64_t& overflows) {
  assert(is_floating_point(tensor.dtype));
  Tensor result = Tensor::make(tensor.name, to, tensor.shape);
  with_element_type(tensor.dtype, [&](auto type) {
    if constexpr (!std::is_same_v<decltype(type), Complex64>) {
      convert_to<decltype(type)>(tensor, result, overflows);
    }
  });
  return result;
}

}  // namespace frugal::tensor_file
