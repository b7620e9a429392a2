#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "libcore/tensors/tensor_file.h"

namespace frugal {

/// Packing makes numbers compress better. Byte plane j consists of byte j of every element, so that
/// exponents or high bytes, which are similar, lie together:
///
///    elements (u32)       planes [4, 3]
///    01 00 00 3f          01 02 03     byte 0 of each element
///    02 00 00 3f    ->    00 00 00     byte 1
///    03 00 00 3f          00 00 00     byte 2
///                         3f 3f 3f     byte 3
///
/// Sorted integers are first replaced by their differences (modulo 2^bits, over the whole array in
/// C order). The packed tensor is an ordinary U8 tensor [itemsize, ...shape];
/// metadata["frugal.enc"] says how to unpack it:
/// {"ids":{"dtype":"I64","shape":[10],"steps":["delta","planes"]}}.

/// Chooses the packing of a tensor: differences for integers that mostly ascend, else byte planes.
/// None for tensors below 4 KiB, elements of one byte, and rank 8 or more.
Packing choose_packing(const Tensor& tensor);

/// Computes bytes [offset, offset + to.size()) of the packed tensor.
void pack_range(const Tensor& tensor, Packing packing, std::uint64_t offset,
                std::span<std::byte> to);

/// Undoes the byte planes of num_elements elements, on all threads. `planes` holds whole planes.
/// Differences are left as they are.
void merge_planes(std::size_t item_size, std::uint64_t num_elements, const std::byte* planes,
                  std::byte* to);
/// Replaces differences by values, in place. `before` is the value before the first one; returns
/// the last value.
std::uint64_t sum_differences(std::size_t item_size, std::uint64_t num_elements, std::byte* values,
                              std::uint64_t before = 0);
/// Unpacks a whole tensor.
void unpack(const TensorInfo& info, const std::byte* packed, std::span<std::byte> to);

/// Text of frugal.enc for the packed tensors; "" if there are none.
std::string encoding_text(const DocumentInfo& info);
/// Removes frugal.enc from the metadata and gives the tensors it names their unpacked type and
/// shape. Fails (bad_input) if it does not fit the stored tensors.
void apply_encoding(DocumentInfo& info, const TensorLimits& limits, const std::string& place);

}  // namespace frugal
