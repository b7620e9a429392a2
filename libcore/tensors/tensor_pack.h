#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "libcore/tensors/tensor_file.h"

namespace frugal {

/// Packing makes numbers compress better: byte plane j holds byte j of every element, so that
/// exponents or high bytes, which resemble each other, lie together. Sorted integers are replaced
/// by first differences (modulo 2^bits, over the whole array in C order) before. The packed tensor
/// is an ordinary U8 tensor [itemsize, ...shape]; metadata["frugal.enc"] says what it unpacks to:
/// {"ids":{"dtype":"I64","shape":[10],"steps":["delta","planes"]}}.

/// What suits the tensor; none for small ones, for bytes and for rank 8.
Packing choose_packing(const Tensor& tensor);

/// Bytes [offset, offset + to.size()) of the packed tensor.
void pack_range(const Tensor& tensor, Packing packing, std::uint64_t offset,
                std::span<std::byte> to);

/// Undoes the byte planes of num_elements elements, on all threads; planes holds whole planes.
/// Differences stay.
void merge_planes(std::size_t item_size, std::uint64_t num_elements, const std::byte* planes,
                  std::byte* to);
/// Turns differences into the values, in place; `before` and the result are the values before and
/// at the end.
std::uint64_t sum_differences(std::size_t item_size, std::uint64_t num_elements, std::byte* values,
                              std::uint64_t before = 0);
/// All of a packed tensor.
void unpack(const TensorInfo& info, const std::byte* packed, std::span<std::byte> to);

/// frugal.enc for the tensors whose packing is not none; "" if there is none.
std::string encoding_text(const DocumentInfo& info);
/// Removes frugal.enc from the metadata and describes the tensors it names as what they unpack to.
/// Fails (bad_input) if it does not fit them.
void apply_encoding(DocumentInfo& info, const TensorLimits& limits, const std::string& place);

}  // namespace frugal
