#include "tools/tensor-file/element.h"

#include <array>
#include <cassert>
#include <charconv>
#include <cmath>
#include <limits>

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
    return to_bfloat16(static_cast<float>(value));
  } else if constexpr (std::is_same_v<To, Float16>) {
    return to_float16(static_cast<float>(value));
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

float to_float(Float8E4M3 x) {
  constexpr int kBias = 7;
  constexpr int kMantissaBits = 3;
  const int exponent = x.bits >> kMantissaBits & 15;
  const int mantissa = x.bits & 7;
  const float sign = x.bits & 0x80 ? -1.0f : 1.0f;
  if (exponent == 15 && mantissa == 7) return std::numeric_limits<float>::quiet_NaN();
  if (exponent == 0)
    return sign * std::ldexp(static_cast<float>(mantissa), 1 - kBias - kMantissaBits);
  return sign * std::ldexp(static_cast<float>(8 + mantissa), exponent - kBias - kMantissaBits);
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
  return dtype == Dtype::f16 || dtype == Dtype::bf16 || dtype == Dtype::f32 ||
         dtype == Dtype::f64 || dtype == Dtype::f8_e4m3 || dtype == Dtype::f8_e5m2;
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
