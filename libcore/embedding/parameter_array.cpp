#include "libcore/embedding/parameter_array.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>
#include <limits>

#include "libcore/base/error.h"
#include "libcore/base/hash.h"
#include "libcore/base/rng.h"
#include "libcore/base/text.h"
#include "libcore/kernels/kernels.h"
#include "libcore/nn/optimizer_rules.h"
#include "libcore/tensors/metadata_reader.h"
#include "libcore/threading/parallel.h"

namespace frugal {
namespace {

/// Numbers that are drawn or rounded by a thread at a time; a multiple of both groups.
constexpr std::size_t kPiece = std::size_t{1} << 16;
constexpr int kMostLevel = 7;  ///< of int4
/// Of the scale at which the largest number of a group has the highest level.
constexpr float kScaleParts[] = {1, 0.85F, 0.7F, 0.55F};

std::uint64_t num_groups(std::uint64_t size, std::size_t group) {
  return (size + group - 1) / group;
}

/// x in units of 1 / inverse, as a whole number that int4 has. Adding 1.5 * 2^23 leaves no bits
/// behind the point.
float nibble_level(float x, float inverse) {
  constexpr float kRound = 12582912.0F;
  constexpr auto kMost = static_cast<float>(kMostLevel);
  return std::clamp(x * inverse, -kMost, kMost) + kRound - kRound;
}

float inverse_of(BFloat16 scale) {
  const float value = to_float(scale);
  return value > 0 ? 1 / value : 0;
}

/// Sum of squared differences of values and their levels.
float squared_error(const float* values, std::size_t n, BFloat16 scale) {
  const float inverse = inverse_of(scale), unit = to_float(scale);
  float sum = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const float difference = values[i] - unit * nibble_level(values[i], inverse);
    sum += difference * difference;
  }
  return sum;
}

/// The scale of an int4 group: of some that cut off the largest numbers and one that does not, the
/// one with the least squared error.
BFloat16 nibble_scale(const float* values, std::size_t n) {
  float largest = 0;
  for (std::size_t i = 0; i < n; ++i) largest = std::max(largest, std::abs(values[i]));
  BFloat16 best;
  float least = std::numeric_limits<float>::infinity();
  for (const float part : kScaleParts) {
    const BFloat16 scale = to_bfloat16(part * largest / kMostLevel);
    const float error = squared_error(values, n, scale);
    if (error < least) {
      least = error;
      best = scale;
    }
  }
  return best;
}

/// body(scale's number, first slot, length) for the parts of a range that lie in one group each.
template <class Body>
void for_groups(SlotRange range, std::size_t group, const Body& body) {
  const std::uint64_t end = range.slot + range.length;
  for (std::uint64_t slot = range.slot; slot < end;) {
    const std::uint64_t next = std::min(end, (slot / group + 1) * group);
    body(slot / group, slot, static_cast<std::size_t>(next - slot));
    slot = next;
  }
}

/// body(begin, end) for pieces of [0, size) on all threads.
template <class Body>
void for_pieces(std::uint64_t size, const Body& body) {
  parallel_for((size + kPiece - 1) / kPiece, 1, [&](std::size_t p) {
    body(p * kPiece, std::min<std::uint64_t>(size, (p + 1) * kPiece));
  });
}

Tensor& tensor_of(Document& document, const std::string& name, std::uint64_t size) {
  Tensor& tensor = document.at(name);
  if (tensor.shape != Shape{size}) {
    fail(ExitStatus::bad_input, "tensor '", name, "' is ", shape_text(tensor.shape), ", expected [",
         size, "]");
  }
  return tensor;
}

}  // namespace

std::span<float> ParameterArray::values() {
  assert(storage_ == Storage::f32);
  return {values_.data(), size_};
}

std::span<const float> ParameterArray::values() const {
  assert(storage_ == Storage::f32);
  return {values_.data(), size_};
}

void ParameterArray::fill_uniform(std::uint64_t begin, std::uint64_t end, double bound,
                                  std::uint64_t seed) {
  assert(storage_ == Storage::f32 && begin <= end && end <= size_);
  const Rng rng(seed, hash_bytes("embedding"));
  for_pieces(end - begin, [&](std::uint64_t first, std::uint64_t last) {
    for (std::uint64_t i = begin + first; i < begin + last; ++i) {
      const double unit = static_cast<double>(rng.at(i) >> 11) * 0x1p-53;
      values_[i] = static_cast<float>(bound * (2 * unit - 1));
    }
  });
}

void ParameterArray::store_as(Storage storage) {
  if (storage == storage_) return;
  to_f32();
  if (storage == Storage::bf16) {
    halves_ = Array<BFloat16>(size_, uninitialized);
    for_pieces(size_, [&](std::uint64_t begin, std::uint64_t end) {
      kernels().to_bf16(values_.data() + begin, halves_.data() + begin, end - begin);
    });
  } else if (storage == Storage::int8) {
    to_int8();
  } else if (storage == Storage::int4) {
    to_int4();
  }
  storage_ = storage;
  if (storage_ != Storage::f32) values_ = {};
}

void ParameterArray::to_f32() {
  if (storage_ == Storage::f32) return;
  Array<float> values(size_, uninitialized);
  for_pieces(size_, [&](std::uint64_t begin, std::uint64_t end) {
    read({begin, static_cast<std::size_t>(end - begin)}, values.data() + begin);
  });
  values_ = std::move(values);
  halves_ = {};
  bytes_ = {};
  scales_ = {};
  nibbles_ = {};
  nibble_scales_ = {};
  storage_ = Storage::f32;
}

void ParameterArray::to_int8() {
  bytes_ = Array<std::int8_t>(size_, uninitialized);
  scales_ = Array<float>(num_groups(size_, kScaleGroup), uninitialized);
  for_pieces(size_, [&](std::uint64_t begin, std::uint64_t end) {
    for (std::uint64_t g = begin; g < end; g += kScaleGroup) {
      const std::uint64_t last = std::min(end, g + kScaleGroup);
      float largest = 0;
      for (std::uint64_t i = g; i < last; ++i) largest = std::max(largest, std::abs(values_[i]));
      const float scale = largest / 127;
      scales_[g / kScaleGroup] = scale;
      for (std::uint64_t i = g; i < last; ++i) {
        const float level = scale > 0 ? std::nearbyint(values_[i] / scale) : 0;
        bytes_[i] = static_cast<std::int8_t>(level);
      }
    }
  });
}

void ParameterArray::refresh_scales() {
  if (nibble_scales_.empty()) {
    nibble_scales_ = Array<BFloat16>(num_groups(size_, kNibbleGroup), uninitialized);
  }
  for_pieces(size_, [&](std::uint64_t begin, std::uint64_t end) {
    for_groups({begin, static_cast<std::size_t>(end - begin)}, kNibbleGroup,
               [&](std::uint64_t group, std::uint64_t slot, std::size_t n) {
                 nibble_scales_[group] = nibble_scale(values_.data() + slot, n);
               });
  });
}

void ParameterArray::to_int4() {
  refresh_scales();
  nibbles_ = Array<std::uint8_t>((size_ + 1) / 2);
  for_pieces(size_, [&](std::uint64_t begin, std::uint64_t end) {
    for (std::uint64_t i = begin; i < end; ++i) {
      const float inverse = inverse_of(nibble_scales_[i / kNibbleGroup]);
      const auto code = static_cast<unsigned>(static_cast<int>(nibble_level(values_[i], inverse)) +
                                              kMostLevel + 1);
      nibbles_[i / 2] = static_cast<std::uint8_t>(nibbles_[i / 2] | code << (i % 2 == 0 ? 0 : 4));
    }
  });
}

/// Numbers of the range as int4 would have them.
void ParameterArray::round_as_int4(SlotRange range, float* values) const {
  for_groups(range, kNibbleGroup, [&](std::uint64_t group, std::uint64_t, std::size_t n) {
    const float scale = to_float(nibble_scales_[group]),
                inverse = inverse_of(nibble_scales_[group]);
    for (std::size_t i = 0; i < n; ++i) values[i] = scale * nibble_level(values[i], inverse);
    values += n;
  });
}

void ParameterArray::gather(const std::uint32_t* places, std::size_t n, std::size_t unit,
                            std::size_t length, float* out) const {
  if (storage_ == Storage::f32) {
    kernels().gather_rows(values_.data(), unit, length, places, n, out, length);
    for (std::size_t j = 0; !nibble_scales_.empty() && j < n; ++j) {
      round_as_int4({places[j] * unit, length}, out + j * length);
    }
    return;
  }
  if (storage_ == Storage::bf16) {
    for (std::size_t j = 0; j < n; ++j) read({places[j] * unit, length}, out + j * length);
    return;
  }
  LevelRows rows = level_rows();
  rows.places = places;
  rows.n = n;
  rows.unit = unit;
  rows.length = length;
  rows.out = out;
  gather_levels(rows);
}

void ParameterArray::read(SlotRange range, float* out) const {
  assert(range.slot + range.length <= size_);
  switch (storage_) {
    case Storage::f32:
      std::copy_n(values_.data() + range.slot, range.length, out);
      if (!nibble_scales_.empty()) round_as_int4(range, out);
      break;
    case Storage::bf16: kernels().from_bf16(halves_.data() + range.slot, out, range.length); break;
    case Storage::int8:
    case Storage::int4: {
      const std::uint32_t start = 0;
      LevelRows rows = level_rows();
      rows.first = range.slot;
      rows.places = &start;
      rows.n = 1;
      rows.length = range.length;
      rows.out = out;
      gather_levels(rows);
      break;
    }
  }
}

LevelRows ParameterArray::level_rows() const {
  LevelRows rows;
  if (storage_ == Storage::int8) {
    rows.levels = bytes_.data();
    rows.scales = scales_.data();
    rows.group_bits = std::countr_zero(kScaleGroup);
  } else {
    rows.levels = nibbles_.data();
    rows.scales = nibble_scales_.data();
    rows.group_bits = std::countr_zero(kNibbleGroup);
  }
  return rows;
}

void ParameterArray::gather_levels(const LevelRows& rows) const {
  if (storage_ == Storage::int8) {
    kernels().gather_bytes(rows);
  } else {
    kernels().gather_nibbles(rows);
  }
}

void ParameterArray::prepare_training(const OptimizerOptions& optimizer) {
  if (storage_ != Storage::f32) train_for(storage_);
  to_f32();
  if (needs_scales()) refresh_scales();
  optimizer_ = optimizer;
  const std::size_t states = optimizer_rule(optimizer.kind).num_states;
  first_ = Array<float>(states > 0 ? size_ : 0);
  second_ = Array<float>(states > 1 ? size_ : 0);
}

void ParameterArray::save(const std::string& name, Document& document) const {
  switch (storage_) {
    case Storage::f32:
      document.tensors.push_back(Tensor::lend<float>(name, {size_}, values()));
      break;
    case Storage::bf16:
      document.tensors.push_back(
          Tensor::lend<BFloat16>(name, {size_}, {halves_.data(), halves_.size()}));
      break;
    case Storage::int8:
      document.tensors.push_back(
          Tensor::lend<std::int8_t>(name, {size_}, {bytes_.data(), bytes_.size()}));
      document.tensors.push_back(
          Tensor::lend<float>(name + ".scale", {scales_.size()}, {scales_.data(), scales_.size()}));
      break;
    case Storage::int4:
      document.metadata[name + ".numbers"] = std::to_string(size_);
      document.tensors.push_back(
          Tensor::lend<std::uint8_t>(name, {nibbles_.size()}, {nibbles_.data(), nibbles_.size()}));
      document.tensors.push_back(
          Tensor::lend<BFloat16>(name + ".scale", {nibble_scales_.size()},
                                 {nibble_scales_.data(), nibble_scales_.size()}));
      break;
  }
}

ParameterArray ParameterArray::load(Document& document, const std::string& name) {
  Tensor& tensor = document.at(name);
  if (tensor.shape.size() != 1) {
    fail(ExitStatus::bad_input, "tensor '", name, "' is ", shape_text(tensor.shape),
         ", expected an array");
  }
  ParameterArray array;
  array.size_ = tensor.shape[0];
  switch (tensor.dtype) {
    case Dtype::bf16:
      array.storage_ = Storage::bf16;
      array.halves_ = tensor.take_or_view<BFloat16>();
      break;
    case Dtype::i8:
      array.storage_ = Storage::int8;
      array.bytes_ = tensor.take_or_view<std::int8_t>();
      array.scales_ = tensor_of(document, name + ".scale", num_groups(array.size_, kScaleGroup))
                          .take_or_view<float>();
      break;
    case Dtype::u8:
      array.storage_ = Storage::int4;
      array.size_ = MetadataReader(document).number(name + ".numbers");
      array.nibbles_ =
          tensor_of(document, name, array.size_ / 2 + array.size_ % 2).take_or_view<std::uint8_t>();
      array.nibble_scales_ =
          tensor_of(document, name + ".scale", num_groups(array.size_, kNibbleGroup))
              .take_or_view<BFloat16>();
      break;
    default: array.values_ = tensor.take_or_view<float>(); break;
  }
  return array;
}

void ParameterArray::save_state(const std::string& name, Document& document) const {
  for (const auto& [part, state] : {std::pair{".first", &first_}, {".second", &second_}}) {
    if (state->empty()) continue;
    document.tensors.push_back(
        Tensor::lend<float>(name + part, {state->size()}, {state->data(), state->size()}));
  }
  if (needs_scales()) {
    document.tensors.push_back(Tensor::lend<BFloat16>(
        name + ".scales", {nibble_scales_.size()}, {nibble_scales_.data(), nibble_scales_.size()}));
  }
}

void ParameterArray::load_state(Document& document, const std::string& name) {
  if (!first_.empty()) first_ = tensor_of(document, name + ".first", size_).take<float>();
  if (needs_scales()) {
    nibble_scales_ =
        tensor_of(document, name + ".scales", num_groups(size_, kNibbleGroup)).take<BFloat16>();
  }
  if (!second_.empty()) second_ = tensor_of(document, name + ".second", size_).take<float>();
}

}  // namespace frugal
