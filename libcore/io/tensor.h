#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "libcore/base/array.h"

namespace frugal {

/// Element types of the exchange format. c64, f8_* are read, never written.
enum class Dtype : std::uint8_t {
  boolean, u8, i8, i16, u16, f16, bf16, i32, u32, f32, f64, i64, u64, c64, f8_e4m3, f8_e5m2
};

std::size_t item_size(Dtype dtype);              ///< bytes an element
std::string_view dtype_name(Dtype dtype);        ///< as in the file: "F32", "BF16", "BOOL"
std::optional<Dtype> dtype_from_name(std::string_view name);
template <class T>
Dtype dtype_of();  ///< of float, double, BFloat16, Float16, bool, (u)int8..64_t; specialised in tensor.cpp

using Shape = std::vector<std::uint64_t>;

std::uint64_t num_elements(const Shape& shape);  ///< 1 for rank 0; the caller has checked for overflow
std::string shape_text(const Shape& shape);      ///< "[3, 4]"

/// A named array, C order, little endian, owned. Its bytes are aligned to 64.
struct Tensor {
  std::string name;
  Dtype dtype = Dtype::f32;
  Shape shape;
  Array<std::byte> bytes;

  /// An uninitialised tensor.
  static Tensor make(std::string name, Dtype dtype, Shape shape);
  template <class T>
  static Tensor copy_of(std::string name, Shape shape, std::span<const T> values);

  /// The elements as T; fails (bad_input) with the tensor's name when the type is another.
  template <class T>
  std::span<const T> as() const;
  template <class T>
  std::span<T> as();
};

}  // namespace frugal
