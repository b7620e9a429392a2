#include "libcore/arrays/npy_array.h"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <limits>

#include "libcore/arrays/crc32.h"
#include "libcore/base/error.h"
#include "libcore/base/text.h"
#include "libcore/system/limits.h"

namespace frugal {
namespace {

constexpr std::size_t kMaxNumpyRank = 32;

template <std::size_t kItem>
void copy_strided(std::byte* to, const std::byte* from, std::size_t count, std::size_t stride) {
  for (std::size_t i = 0; i < count; ++i)
    std::memcpy(to + i * kItem, from + i * stride * kItem, kItem);
}

void copy_items(std::size_t item, std::byte* to, const std::byte* from, std::size_t count,
                std::size_t stride) {
  switch (item) {
    case 1: return copy_strided<1>(to, from, count, stride);
    case 2: return copy_strided<2>(to, from, count, stride);
    case 4: return copy_strided<4>(to, from, count, stride);
    default: return copy_strided<8>(to, from, count, stride);
  }
}

/// Reorders elements whose first index runs fastest so that the last one does.
Array<std::byte> to_c_order(const Array<std::byte>& from, const Shape& shape, std::size_t item) {
  Array<std::byte> to(from.size(), uninitialized);
  const std::size_t rank = shape.size();
  std::vector<std::size_t> stride(rank, 1);
  for (std::size_t d = 1; d < rank; ++d) stride[d] = stride[d - 1] * shape[d - 1];
  std::vector<std::uint64_t> index(rank, 0);
  const std::size_t row_bytes = shape.back() * item;
  std::size_t begin = 0;  // of the row at `index`, in elements of `from`
  for (std::size_t at = 0; at < from.size(); at += row_bytes) {
    copy_items(item, to.data() + at, from.data() + begin * item, shape.back(), stride.back());
    for (std::size_t d = rank - 1; d-- > 0;) {
      begin += stride[d];
      if (++index[d] < shape[d]) break;
      begin -= stride[d] * shape[d];
      index[d] = 0;
    }
  }
  return to;
}

/// The prefix and the dictionary; `data` becomes the offset of the first element.
NpyHeader read_header(const NpySource& source, const TensorLimits& limits, std::string& bytes) {
  const std::uint64_t size = source.end - source.begin;
  bytes.resize(std::min<std::uint64_t>(size, kNpyPrefixBytes));
  source.file.read_at(source.begin, bytes.data(), bytes.size());
  const NpyPrefix prefix = parse_npy_prefix(bytes, source.place);
  if (prefix.size > limits.max_header) {
    fail(ExitStatus::bad_input, source.place, ": header of ", prefix.size, " bytes, at most ",
         limits.max_header, " are accepted (--limit header)");
  }
  if (prefix.begin + prefix.size > size) {
    fail(ExitStatus::bad_input, source.place, ": truncated in the .npy header");
  }
  bytes.resize(prefix.begin + prefix.size);
  source.file.read_at(source.begin, bytes.data(), bytes.size());
  return parse_npy_header(std::string_view(bytes).substr(prefix.begin), source.place, limits);
}

void check_data_size(const NpySource& source, const NpyHeader& header, std::uint64_t found) {
  const std::uint64_t expected = num_elements(header.shape) * item_size(header.dtype);
  if (found == expected) return;
  fail(ExitStatus::bad_input, source.place,
       found < expected ? ": truncated: " : ": too long: ", dtype_name(header.dtype), " ",
       shape_text(header.shape), " takes ", expected, " bytes, found ", found);
}

}  // namespace

NpyPlace find_npy_array(const NpySource& source, const TensorLimits& limits) {
  std::string head;
  NpyHeader header = read_header(source, limits, head);
  const std::uint64_t data = source.begin + head.size();
  check_data_size(source, header, source.end - data);
  return {std::move(header), data, crc32(head.data(), head.size())};
}

NpyArray read_npy_array(const NpySource& source, const TensorLimits& limits,
                        std::uint64_t max_memory) {
  const auto [header, data, head_crc] = find_npy_array(source, limits);
  // An array in Fortran order is there twice while it is reordered.
  if ((source.end - data) > max_memory / (header.fortran_order ? 2 : 1)) {
    fail(ExitStatus::unavailable, source.place, ": needs ", format_bytes(source.end - data),
         header.fortran_order ? " twice" : "", ", but ", format_bytes(max_memory),
         " may be used (--max-memory)");
  }
  NpyArray array{Tensor::make("", header.dtype, header.shape), head_crc};
  Array<std::byte>& bytes = array.tensor.bytes;
  source.file.read_at(data, bytes.data(), bytes.size());
  array.crc = crc32(bytes.data(), bytes.size(), array.crc);
  if (header.fortran_order && header.shape.size() > 1 && !bytes.empty()) {
    bytes = to_c_order(bytes, header.shape, item_size(header.dtype));
  }
  return array;
}

Tensor read_npy_elements(const NpySource& source, const NpyPlace& place, std::uint64_t begin,
                         std::uint64_t end, std::uint64_t max_memory) {
  const NpyHeader& header = place.header;
  assert(begin <= end && end <= num_elements(header.shape));
  const std::size_t item = item_size(header.dtype);
  if ((end - begin) * item > max_memory) {
    fail(ExitStatus::unavailable, source.place, ": ", format_bytes((end - begin) * item),
         " at once, but ", format_bytes(max_memory), " may be used (--max-memory)");
  }
  Tensor part = Tensor::make("", header.dtype, {end - begin});
  source.file.read_at(place.data + begin * item, part.bytes.data(), part.bytes.size());
  return part;
}

Tensor elements_of(const Tensor& whole, std::uint64_t begin, std::uint64_t end) {
  assert(begin <= end && end <= num_elements(whole.shape));
  Tensor part = Tensor::make(whole.name, whole.dtype, {end - begin});
  if (!part.bytes.empty()) {
    std::memcpy(part.bytes.data(), whole.bytes.data() + begin * item_size(whole.dtype),
                part.bytes.size());
  }
  return part;
}

void check_npy_can_hold(std::string_view name, Dtype dtype, const Shape& shape,
                        const std::string& path) {
  if (npy_type(dtype).empty()) {
    fail(ExitStatus::usage, path, ": tensor '", printable(name), "' is ", dtype_name(dtype),
         ", which numpy does not have; write .safetensors, or make it F32 with tensor-file convert "
         "--dtype F32");
  }
  if (shape.size() > kMaxNumpyRank) {
    fail(ExitStatus::usage, path, ": tensor '", printable(name), "' has ", shape.size(),
         " dimensions, numpy has at most ", kMaxNumpyRank);
  }
}

std::uint64_t npy_memory(const TensorLimits& limits) {
  if (limits.max_memory != 0) return limits.max_memory;
  const std::uint64_t left = memory_available();  // 0: unknown
  return left == 0 ? std::numeric_limits<std::uint64_t>::max() : left / 10 * 8;
}

}  // namespace frugal
