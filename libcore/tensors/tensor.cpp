#include "libcore/tensors/tensor.h"

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
  std::size_t bits;
};

/// In the order of the enumerators.
constexpr std::array<DtypeRow, 22> kDtypes{
    {{"BOOL", 8},    {"U8", 8},      {"I8", 8},          {"I16", 16},        {"U16", 16},
     {"F16", 16},    {"BF16", 16},   {"I32", 32},        {"U32", 32},        {"F32", 32},
     {"F64", 64},    {"I64", 64},    {"U64", 64},        {"C64", 64},        {"F8_E4M3", 8},
     {"F8_E5M2", 8}, {"F8_E8M0", 8}, {"F8_E4M3FNUZ", 8}, {"F8_E5M2FNUZ", 8}, {"F6_E2M3", 6},
     {"F6_E3M2", 6}, {"F4", 4}}};

const DtypeRow& row_of(Dtype dtype) { return kDtypes[static_cast<std::size_t>(dtype)]; }

}  // namespace

std::size_t item_bits(Dtype dtype) { return row_of(dtype).bits; }

std::size_t item_size(Dtype dtype) { return (item_bits(dtype) + 7) / 8; }

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

std::uint64_t size_in_bytes(Dtype dtype, const Shape& shape) {
  return num_elements(shape) * item_bits(dtype) / 8;
}

std::string shape_text(const Shape& shape) {
  std::string text = "[";
  for (const std::uint64_t size : shape) {
    if (text.size() > 1) text += ", ";
    text += std::to_string(size);
  }
  return text + "]";
}

Tensor Tensor::make(std::string name, Dtype dtype, Shape shape) {
  std::uint64_t num_bits = item_bits(dtype);
  const bool empty = std::find(shape.begin(), shape.end(), 0) != shape.end();
  for (const std::uint64_t size : empty ? Shape{0} : shape) {
    if (!__builtin_mul_overflow(num_bits, size, &num_bits)) continue;
    fail(ExitStatus::unavailable, "tensor '", printable(name), "' of ", dtype_name(dtype), " ",
         shape_text(shape), " is larger than any memory");
  }
  return {std::move(name), dtype, std::move(shape), Array<std::byte>(num_bits / 8, uninitialized)};
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
