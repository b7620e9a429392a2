#pragma once
#include <cstdint>
#include <string>

#include "libcore/arrays/npy_header.h"
#include "libcore/streams/regular_file.h"
#include "libcore/tensors/tensor_file.h"

namespace frugal {

/// Range [begin, end) of a file with one array in .npy format. `place` begins the error lines.
struct NpySource {
  const RandomBytes& file;
  std::uint64_t begin;
  std::uint64_t end;
  std::string place;
};

/// Position of an array's elements in the file. The declared size has been checked against the
/// source's.
struct NpyPlace {
  NpyHeader header;
  std::uint64_t data = 0;      ///< first byte of the elements
  std::uint32_t head_crc = 0;  ///< CRC-32 of the bytes before them
};
NpyPlace find_npy_array(const NpySource& source, const TensorLimits& limits);

struct NpyArray {
  Tensor tensor;
  std::uint32_t crc = 0;  ///< CRC-32 of all bytes of the source
};

/// Reads an array and converts it to C order. Nothing is allocated before the declared size has
/// been checked against the source's. Fails (unavailable) if it takes more than max_memory bytes.
NpyArray read_npy_array(const NpySource& source, const TensorLimits& limits,
                        std::uint64_t max_memory);

/// Reads elements [begin, end) of an array in C order, as a tensor of rank 1.
Tensor read_npy_elements(const NpySource& source, const NpyPlace& place, std::uint64_t begin,
                         std::uint64_t end, std::uint64_t max_memory);
/// Copies elements [begin, end) of an array in memory, as a tensor of rank 1.
Tensor elements_of(const Tensor& whole, std::uint64_t begin, std::uint64_t end);

/// Fails (usage) with the reason if numpy cannot hold such an array.
void check_npy_can_hold(std::string_view name, Dtype dtype, const Shape& shape,
                        const std::string& path);

/// Memory limit in bytes: limits.max_memory, or its default if that is 0.
std::uint64_t npy_memory(const TensorLimits& limits);

}  // namespace frugal
