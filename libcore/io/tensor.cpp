#include "libcore/io/tensor.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cstring>

#include "libcore/base/error.h"
#include "libcore/base/text.h"

namespace frugal {
namespace {

struct DtypeRow {
  std::string_view name;
  std::size_t size;
};

/// In the order of the enumerators.
constexpr std::array<DtypeRow, 16> kDtypes{{{"BOOL", 1},
                                            {"U8", 1},
                                            {"I8", 1},
                                            {"I16", 2},
                                            {"U16", 2},
                                            {"F16", 2},
                                            {"BF16", 2},
                                            {"I32", 4},
                                            {"U32", 4},
                                            {"F32", 4},
                                            {"F64", 8},
                                            {"I64", 8},
                                            {"U64", 8},
                                            {"C64", 8},
                                            {"F8_E4M3", 1},
                                            {"F8_E5M2", 1}}};

const DtypeRow& row_of(Dtype dtype) { return kDtypes[static_cast<std::size_t>(dtype)]; }

}  // namespace

std::size_t item_size(Dtype dtype) { return row_of(dtype).size; }

std::string_view dtype_name(Dtype dtype) { return row_of(dtype).name; }

std::optional<Dtype> dtype_from_name(std::string_view name) {
  for (std::size_t i = 0; i < kDtypes.size(); ++i) {
    if (kDtypes[i].name == name) return static_cast<Dtype>(i);
  }
  return std::nullopt;
}

std::uint64_t num_elements(const Shape& shape) {
  std::uint64_t n = 1;
  for (const std::uint64_t size : shape) n *= size;
  return n;
}

std::uint64_t num_rows(const Shape& shape) { return shape.empty() ? 1 : shape.front(); }

std::string shape_text(const Shape& shape) {
  std::string text = "[";
  for (const std::uint64_t size : shape) {
    if (text.size() > 1) text += ", ";
    text += std::to_string(size);
  }
  return text + "]";
}

Tensor Tensor::make(std::string name, Dtype dtype, Shape shape) {
  std::uint64_t num_bytes = item_size(dtype);
  const bool empty = std::find(shape.begin(), shape.end(), 0) != shape.end();
  for (const std::uint64_t size : empty ? Shape{0} : shape) {
    if (!__builtin_mul_overflow(num_bytes, size, &num_bytes)) continue;
    fail(ExitStatus::unavailable, "tensor '", printable(name), "' of ", dtype_name(dtype), " ",
         shape_text(shape), " is larger than any memory");
  }
  return {std::move(name), dtype, std::move(shape), Array<std::byte>(num_bytes, uninitialized)};
}

void Tensor::require(Dtype expected) const {
  if (dtype == expected) return;
  fail(ExitStatus::bad_input, "tensor '", printable(name), "' is ", dtype_name(dtype),
       ", expected ", dtype_name(expected));
}

void Tensor::fill_from(const void* values, std::size_t num_bytes) {
  assert(num_bytes == bytes.size());
  if (num_bytes != 0) std::memcpy(bytes.data(), values, std::min(num_bytes, bytes.size()));
}

}  // namespace frugal
