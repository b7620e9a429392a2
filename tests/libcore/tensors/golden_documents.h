#pragma once
#include <bit>

#include "libcore/base/float16.h"
#include "libcore/tensors/tensor_file.h"

namespace frugal {

/// What the files of tests/golden hold.

template <class T>
void add_tensor(Document& document, const std::string& name, Shape shape, std::vector<T> values) {
  document.tensors.push_back(
      Tensor::copy_of<T>(name, std::move(shape), std::span<const T>(values)));
}

/// A tensor of every type that is written, a scalar, an empty one and awkward names.
inline Document golden_types() {
  Document document;
  document.metadata = {{"frugal.kind", "model"}, {"note", "quote \" backslash \\ tab \t \xc3\xa9"}};
  const bool truth[] = {true, false, true};
  document.tensors.push_back(Tensor::copy_of<bool>("bool", {3}, std::span<const bool>(truth)));
  add_tensor<std::uint8_t>(document, "u8", {3}, {0, 1, 255});
  add_tensor<std::int8_t>(document, "i8", {3}, {-128, 0, 127});
  add_tensor<std::uint16_t>(document, "u16", {2}, {1, 65535});
  add_tensor<std::int16_t>(document, "i16", {2}, {-32768, 32767});
  add_tensor<Float16>(document, "f16", {2}, {Float16{0x3c00}, Float16{0xfc00}});  // 1, -infinity
  add_tensor<BFloat16>(document, "bf16", {2}, {BFloat16{0x3f80}, BFloat16{0xc040}});  // 1, -3
  add_tensor<std::uint32_t>(document, "u32", {1, 2}, {7, 4294967295u});
  add_tensor<std::int32_t>(document, "i32", {2, 1}, {-2147483647 - 1, 2147483647});
  add_tensor<float>(document, "f32/\xc3\xa4 \"x\"", {2, 2},
                    {0.1f, -0.0f, 3.4028235e38f, std::bit_cast<float>(0x7fc00001u)});
  add_tensor<double>(document, "f64", {2}, {0.1, 5e-324});
  add_tensor<std::int64_t>(document, "i64", {2}, {INT64_MIN, INT64_MAX});
  add_tensor<std::uint64_t>(document, "u64", {}, {18446744073709551615u});
  add_tensor<float>(document, "empty", {0, 7}, {});
  return document;
}

/// Large enough that --pack packs: as byte planes, and as byte planes of differences.
inline Document golden_large() {
  Document document;
  std::vector<std::int64_t> ids;
  std::vector<float> weights;
  for (int i = 0; i < 3000; ++i) {
    ids.push_back(std::int64_t{i} * i);
    weights.push_back(static_cast<float>(i % 50) / 64);
  }
  add_tensor(document, "ids", {3000}, ids);
  add_tensor(document, "weights", {30, 100}, weights);
  return document;
}

/// Document number i of a stream.
inline Document golden_batch(std::uint64_t i) {
  Document document;
  document.metadata = {{"frugal.kind", "minibatch"}, {"frugal.step", std::to_string(10 * i)}};
  add_tensor<std::uint64_t>(document, "ids", {2}, {i, i + 1});
  return document;
}

}  // namespace frugal
