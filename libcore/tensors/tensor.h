#pragma once
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "libcore/base/array.h"
#include "libcore/base/float16.h"

namespace frugal {

/// Element types of the exchange format. No tool computes with c64 and the types after it.
enum class Dtype : std::uint8_t {
  boolean,
  u8,
  i8,
  i16,
  u16,
  f16,
  bf16,
  i32,
  u32,
  f32,
  f64,
  i64,
  u64,
  c64,
  f8_e4m3,
  f8_e5m2,
  f8_e8m0,
  f8_e4m3fnuz,
  f8_e5m2fnuz,
  f6_e2m3,
  f6_e3m2,
  f4
};

std::size_t item_bits(Dtype dtype);        ///< bits of an element
std::size_t item_size(Dtype dtype);        ///< bytes of an element; 1 if it has fewer than 8 bits
std::string_view dtype_name(Dtype dtype);  ///< name in files: "F32", "BF16", "BOOL"
std::optional<Dtype> dtype_from_name(std::string_view name);
/// Element type of a C++ type: float, double, BFloat16, Float16, bool, (u)int8..64_t.
template <class T>
constexpr Dtype dtype_of();

using Shape = std::vector<std::uint64_t>;

/// Number of elements, 1 for rank 0. The caller has checked for overflow.
std::uint64_t num_elements(const Shape& shape);
/// Number of rows along the first axis; 1 for rank 0.
std::uint64_t num_rows(const Shape& shape);
/// Size in bytes, rounded up: elements of fewer than 8 bits are packed without gaps.
std::uint64_t size_in_bytes(Dtype dtype, const Shape& shape);
std::string shape_text(const Shape& shape);  ///< "[3, 4]"

/// A named array in C order, little endian. It owns its bytes (aligned to 64), or borrows them in
/// `lent`, so that large data can be written without a copy.
struct Tensor {
  std::string name;
  Dtype dtype = Dtype::f32;
  Shape shape;
  Array<std::byte> bytes;
  std::span<const std::byte> lent = {};

  /// Makes an uninitialised tensor. Fails (unavailable) if it has 2^64 bits or more.
  static Tensor make(std::string name, Dtype dtype, Shape shape);
  template <class T>
  static Tensor copy_of(std::string name, Shape shape, std::span<const T> values);
  /// Borrows `values`, which must stay in place and unchanged. The tensor is read-only.
  template <class T>
  static Tensor lend(std::string name, Shape shape, std::span<const T> values) {
    return {std::move(name), dtype_of<T>(), std::move(shape), {}, std::as_bytes(values)};
  }

  std::span<const std::byte> content() const {
    return lent.empty() ? std::span<const std::byte>(bytes.data(), bytes.size()) : lent;
  }

  /// The elements as T; fails (bad_input) with the tensor's name if it has another type.
  template <class T>
  std::span<const T> as() const {
    require(dtype_of<T>());
    return {reinterpret_cast<const T*>(content().data()), content().size() / sizeof(T)};
  }
  template <class T>
  std::span<T> as() {
    require(dtype_of<T>());
    assert(lent.empty());
    return {reinterpret_cast<T*>(bytes.data()), bytes.size() / sizeof(T)};
  }

  /// The elements as an array: moved out of the tensor or, where the tensor borrows them, a view
  /// that their owner must outlive.
  template <class T>
  Array<T> take_or_view() {
    const std::span<const T> values = std::as_const(*this).template as<T>();
    return lent.empty() ? Array<T>::adopt(std::move(bytes)) : Array<T>::view_of(values);
  }

  /// Moves the elements out of the tensor; copies them only if they are borrowed.
  template <class T>
  Array<T> take() {
    const std::span<const T> values = std::as_const(*this).template as<T>();
    return lent.empty() ? Array<T>::adopt(std::move(bytes)) : Array<T>::copy_of(values);
  }

  /// An owned copy.
  Tensor clone() const { return {name, dtype, shape, Array<std::byte>::copy_of(content())}; }

 private:
  void require(Dtype expected) const;
  void fill_from(const void* values, std::size_t num_bytes);  ///< asserts that the sizes agree
};

namespace internal {
template <class T>
constexpr Dtype integer_dtype() {
  static_assert(std::is_integral_v<T>, "no such element type in the exchange format");
  constexpr Dtype kSigned[] = {Dtype::i8, Dtype::i16, Dtype::i32, Dtype::i64};
  constexpr Dtype kUnsigned[] = {Dtype::u8, Dtype::u16, Dtype::u32, Dtype::u64};
  constexpr int kLogSize = sizeof(T) == 1 ? 0 : sizeof(T) == 2 ? 1 : sizeof(T) == 4 ? 2 : 3;
  return std::is_signed_v<T> ? kSigned[kLogSize] : kUnsigned[kLogSize];
}
}  // namespace internal

template <class T>
constexpr Dtype dtype_of() {
  if constexpr (std::is_same_v<T, bool>) {
    return Dtype::boolean;
  } else if constexpr (std::is_same_v<T, float>) {
    return Dtype::f32;
  } else if constexpr (std::is_same_v<T, double>) {
    return Dtype::f64;
  } else if constexpr (std::is_same_v<T, BFloat16>) {
    return Dtype::bf16;
  } else if constexpr (std::is_same_v<T, Float16>) {
    return Dtype::f16;
  } else {
    return internal::integer_dtype<T>();
  }
}

/// Makes rows [begin, end) of a tensor of that shape from read(begin, end), which returns elements
/// in C order. For rank 0 it returns the one number, whatever the rows.
template <class Read>
Tensor rows_from(const Shape& shape, std::uint64_t begin, std::uint64_t end, const Read& read) {
  const std::uint64_t rows = num_rows(shape);
  const std::uint64_t row = rows == 0 ? 0 : num_elements(shape) / rows;
  Tensor tensor = shape.empty() ? read(0, 1) : read(begin * row, end * row);
  tensor.shape = shape;
  if (!shape.empty()) tensor.shape.front() = end - begin;
  return tensor;
}

template <class T>  // NOLINTNEXTLINE(performance-unnecessary-value-param): both are moved
Tensor Tensor::copy_of(std::string name, Shape shape, std::span<const T> values) {
  Tensor tensor = make(std::move(name), dtype_of<T>(), std::move(shape));
  tensor.fill_from(values.data(), values.size_bytes());
  return tensor;
}

}  // namespace frugal
