#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "libcore/tensors/tensor_file.h"

namespace frugal {

/// Header that numpy writes before the elements of an array: magic, version, length, and a Python
/// dictionary (NEP 1, "A Simple File Format for NumPy Arrays").
struct NpyHeader {
  Dtype dtype = Dtype::f32;
  bool fortran_order = false;
  Shape shape;
  std::uint64_t text_width = 0;  ///< bytes of each text of type "|S3", the last dimension; or 0
};

/// Position of the dictionary: `size` bytes from offset `begin` of the array's file.
struct NpyPrefix {
  std::uint64_t begin = 0;
  std::uint64_t size = 0;
};
inline constexpr std::size_t kNpyPrefixBytes = 12;  ///< bytes that parse_npy_prefix() reads at most

/// Parses the first bytes of the file (versions 1 to 3). `place` begins the error lines.
NpyPrefix parse_npy_prefix(std::string_view bytes, const std::string& place);
/// Parses the text of the dictionary. The array's size in bytes is within TensorLimits and does not
/// overflow.
NpyHeader parse_npy_header(std::string_view text, const std::string& place,
                           const TensorLimits& limits);

/// numpy's name of a type, e.g. "<f4"; "" if numpy has none (BF16 and F8).
std::string_view npy_type(Dtype dtype);
/// Formats a header of version 1 in C order, a multiple of 64 bytes. npy_type(dtype) must not be
/// "".
std::string npy_header(Dtype dtype, const Shape& shape);

}  // namespace frugal
