#include "tools/tensor-file/element.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

namespace frugal::tensor_file {
namespace {

template <class T>
std::string text_of(std::vector<T> values) {
  const Tensor tensor = Tensor::copy_of<T>("x", {values.size()}, std::span<const T>(values));
  std::string text;
  for (std::uint64_t i = 0; i < values.size(); ++i) {
    append_element(text, tensor, i);
    text += ' ';
  }
  return text;
}

Tensor bytes_as(Dtype dtype, std::vector<std::uint8_t> bytes) {
  Tensor tensor = Tensor::make("x", dtype, {bytes.size() / item_size(dtype)});
  std::memcpy(tensor.bytes.data(), bytes.data(), bytes.size());
  return tensor;
}

}  // namespace

TEST_CASE("elements are written in the shortest form that reads back") {
  CHECK(text_of<float>({0.1f, -0.0f, 1e30f}) == "0.1 -0 1e+30 ");
  CHECK(text_of<double>({0.1, 1.0 / 3}) == "0.1 0.3333333333333333 ");
  CHECK(text_of<std::int8_t>({-128, 7}) == "-128 7 ");
  CHECK(text_of<std::uint64_t>({18446744073709551615u}) == "18446744073709551615 ");
  CHECK(text_of<BFloat16>({to_bfloat16(1.5f)}) == "1.5 ");
  CHECK(text_of<Float16>({to_float16(-2.5f)}) == "-2.5 ");
}

TEST_CASE("complex numbers are written as Python reads them") {
  Tensor tensor = Tensor::make("x", Dtype::c64, {2});
  const Complex64 values[] = {{1, -2.5f}, {0, 3}};
  std::memcpy(tensor.bytes.data(), values, sizeof values);
  std::string text;
  append_element(text, tensor, 0);
  text += ' ';
  append_element(text, tensor, 1);
  CHECK(text == "1-2.5j 0+3j");
}

TEST_CASE("8-bit floats have the values of their definition") {
  CHECK(to_float(Float8E4M3{0x38}) == 1);
  CHECK(to_float(Float8E4M3{0x7e}) == 448);  // the largest
  CHECK(to_float(Float8E4M3{0x01}) == std::ldexp(1.0f, -9));
  CHECK(to_float(Float8E4M3{0xb8}) == -1);
  CHECK(std::isnan(to_float(Float8E4M3{0x7f})));
  CHECK(to_float(Float8E5M2{0x3c}) == 1);
  CHECK(to_float(Float8E5M2{0x7b}) == 57344);  // the largest
  CHECK(std::isinf(to_float(Float8E5M2{0x7c})));
  CHECK(to_float(Float8E5M2{0x01}) == std::ldexp(1.0f, -16));
}

TEST_CASE("floats of other kinds, and of less than a byte, have the values of their definition") {
  const auto text = [](Dtype dtype, std::vector<std::uint8_t> bytes) {
    Tensor tensor = Tensor::make("x", dtype, {bytes.size() * 8 / item_bits(dtype)});
    std::memcpy(tensor.bytes.data(), bytes.data(), bytes.size());
    std::string text;
    for (std::uint64_t i = 0; i < tensor.shape[0]; ++i) {
      append_element(text, tensor, i);
      text += ' ';
    }
    return text;
  };
  CHECK(text(Dtype::f8_e8m0, {127, 128, 0, 255}) == "1 2 5.877472e-39 nan ");
  CHECK(text(Dtype::f8_e4m3fnuz, {0x40, 0x7f, 0x80, 0xff, 0x01}) == "1 240 nan -240 0.0009765625 ");
  CHECK(text(Dtype::f8_e5m2fnuz, {0x40, 0x7f, 0x80}) == "1 57344 nan ");
  CHECK(text(Dtype::f4, {0x10, 0x32, 0x54, 0x76, 0xf8}) == "0 0.5 1 1.5 2 3 4 6 -0 -6 ");
  // 1, -1, 7.5 and 0.125 in the bits 001000, 101000, 011111, 000001 from the lowest on.
  CHECK(text(Dtype::f6_e2m3, {0x08, 0xfa, 0x05}) == "1 -1 7.5 0.125 ");
  CHECK(text(Dtype::f6_e3m2, {0x0c, 0xfb, 0x05}) == "1 -1 28 0.0625 ");
}

TEST_CASE("an index is said along every axis") {
  CHECK(index_text(0, {2, 3}) == "[0, 0]");
  CHECK(index_text(5, {2, 3}) == "[1, 2]");
  CHECK(index_text(0, {}) == "[]");
}

TEST_CASE("conversion rounds to nearest even and counts what becomes infinite") {
  const std::vector<float> values{1.0f, 65519.0f, 65520.0f, std::numeric_limits<float>::infinity(),
                                  1.0f + 0x1p-11f};
  std::uint64_t overflows = 0;
  const Tensor half = converted(Tensor::copy_of<float>("x", {5}, values), Dtype::f16, overflows);
  CHECK(overflows == 1);  // 65520 lies half way to what would follow 65504
  const auto bits = half.as<Float16>();
  CHECK(bits[0].bits == 0x3c00);
  CHECK(bits[1].bits == 0x7bff);
  CHECK(bits[2].bits == 0x7c00);
  CHECK(bits[4].bits == 0x3c00);
}

TEST_CASE("doubles are rounded once") {
  const std::vector<double> values{1 + 0x1p-11 + 0x1p-40, 1 + 0x1p-8 + 0x1p-40};
  const Tensor tensor = Tensor::copy_of<double>("x", {2}, values);
  std::uint64_t overflows = 0;
  CHECK(converted(tensor, Dtype::f16, overflows).as<Float16>()[0].bits == 0x3c01);
  CHECK(converted(tensor, Dtype::bf16, overflows).as<BFloat16>()[1].bits == 0x3f81);
}

TEST_CASE("widening conversions are exact") {
  std::uint64_t overflows = 0;
  const Tensor f8 = bytes_as(Dtype::f8_e4m3, {0x38, 0x7e});
  CHECK(converted(f8, Dtype::f32, overflows).as<float>()[1] == 448);
  const std::vector<BFloat16> bf16{BFloat16{0x0001}, BFloat16{0xff7f}};
  const Tensor wide = converted(
      Tensor::copy_of<BFloat16>("x", {2}, std::span<const BFloat16>(bf16)), Dtype::f64, overflows);
  CHECK(wide.as<double>()[0] == static_cast<double>(to_float(bf16[0])));
  CHECK(wide.as<double>()[1] == static_cast<double>(to_float(bf16[1])));
  CHECK(overflows == 0);
}

}  // namespace frugal::tensor_file
