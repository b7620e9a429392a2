#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "libcore/tensors/tensor_file.h"

namespace frugal {

/// What numpy writes before the elements of an array: magic, version, length, and a Python
/// dictionary (NEP 1, "A Simple File Format for NumPy Arrays").
struct NpyHeader {
  Dtype dtype = Dtype::f32;
  bool fortran_order = false;
  Shape shape;
};

/// Where the dictionary is: `size` bytes from offset `begin` of the array's file.
struct NpyPrefix {
  std::uint64_t begin = 0;
  std::uint64_t size = 0;
};
inline constexpr std::size_t kNpyPrefixBytes = 12;  ///< most that parse_npy_prefix() looks at

/// From the first bytes of the file (versions 1 to 3); `place` begins the error lines.
NpyPrefix parse_npy_prefix(std::string_view bytes, const std::string& place);
/// From the dictionary's text. The array's size in bytes is within TensorLimits and does not
/// overflow.
NpyHeader parse_npy_header(std::string_view text, const std::string& place,
                           const TensorLimits& limits);

/// numpy's name of a type, "<f4"; "" if numpy has none (BF16 and F8).
std::string_view npy_type(Dtype dtype);
/// The bytes before the elements: version 1, C order, a multiple of 64. npy_type(dtype) is not "".
std::string npy_header(Dtype dtype, const Shape& shape);

}  // namespace frugal
