#include "libcore/embedding/parameter_array.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>

#include "libcore/base/error.h"
#include "libcore/base/hash.h"
#include "libcore/base/rng.h"
#include "libcore/base/text.h"
#include "libcore/kernels/kernels.h"
#include "libcore/threading/parallel.h"

namespace frugal {
namespace {

constexpr std::array<std::string_view, 3> kNames = {"f32", "bf16", "int8"};
/// Numbers that are drawn or rounded by a thread at a time; a multiple of kScaleGroup.
constexpr std::size_t kPiece = std::size_t{1} << 16;

std::uint64_t num_groups(std::uint64_t size) {
  return (size + ParameterArray::kScaleGroup - 1) / ParameterArray::kScaleGroup;
}

/// body(begin, end) for pieces of [0, size) on all threads.
template <class Body>
void for_pieces(std::uint64_t size, const Body& body) {
  parallel_for((size + kPiece - 1) / kPiece, 1, [&](std::size_t p) {
    body(p * kPiece, std::min<std::uint64_t>(size, (p + 1) * kPiece));
  });
}

template <class T>
Array<T> load_values(Document& document, const std::string& name, std::uint64_t size) {
  Tensor& tensor = document.at(name);
  if (tensor.shape != Shape{size}) {
    fail(ExitStatus::bad_input, "tensor '", name, "' is ", shape_text(tensor.shape), ", expected [",
         size, "]");
  }
  return tensor.take<T>();
}

}  // namespace

std::vector<std::string> storage_names() { return {kNames.begin(), kNames.end()}; }

Storage storage_from_name(std::string_view name) {
  const auto found = std::find(kNames.begin(), kNames.end(), name);
  if (found == kNames.end()) {
    fail(ExitStatus::usage, "unknown storage '", printable(name), "', expected one of ",
         joined(storage_names()));
  }
  return static_cast<Storage>(found - kNames.begin());
}

std::string_view storage_name(Storage storage) { return kNames[static_cast<std::size_t>(storage)]; }

std::uint64_t stored_bytes(Storage storage, std::uint64_t size) {
  switch (storage) {
    case Storage::f32: return size * sizeof(float);
    case Storage::bf16: return size * sizeof(BFloat16);
    case Storage::int8: return size + num_groups(size) * sizeof(float);
  }
  return 0;
}

std::uint64_t numbers_in(Storage storage, std::uint64_t bytes) {
  switch (storage) {
    case Storage::f32: return bytes / sizeof(float);
    case Storage::bf16: return bytes / sizeof(BFloat16);
    case Storage::int8: {
      // Whole groups with their scales, then a last one that is shorter.
      constexpr std::uint64_t kGroup = ParameterArray::kScaleGroup, kBytes = kGroup + sizeof(float);
      const std::uint64_t rest = bytes % kBytes;
      return bytes / kBytes * kGroup + (rest > sizeof(float) ? rest - sizeof(float) : 0);
    }
  }
  return 0;
}

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
  storage_ = Storage::f32;
}

void ParameterArray::to_int8() {
  bytes_ = Array<std::int8_t>(size_, uninitialized);
  scales_ = Array<float>(num_groups(size_), uninitialized);
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

void ParameterArray::gather(const std::uint32_t* places, std::size_t n, std::size_t unit,
                            std::size_t length, float* out) const {
  if (storage_ == Storage::f32) {
    kernels().gather_rows(values_.data(), unit, length, places, n, out, length);
    return;
  }
  for (std::size_t j = 0; j < n; ++j) read({places[j] * unit, length}, out + j * length);
}

void ParameterArray::read(SlotRange range, float* out) const {
  assert(range.slot + range.length <= size_);
  switch (storage_) {
    case Storage::f32: std::copy_n(values_.data() + range.slot, range.length, out); break;
    case Storage::bf16: kernels().from_bf16(halves_.data() + range.slot, out, range.length); break;
    case Storage::int8:
      for (std::size_t i = 0; i < range.length; ++i) {
        const std::uint64_t slot = range.slot + i;
        out[i] = scales_[slot / kScaleGroup] * static_cast<float>(bytes_[slot]);
      }
      break;
  }
}

void ParameterArray::prepare_training(const OptimizerOptions& optimizer) {
  to_f32();
  optimizer_ = optimizer;
  first_ = Array<float>(optimizer.kind == OptimizerKind::sgd ? 0 : size_);
  second_ = Array<float>(optimizer.kind == OptimizerKind::adam ? size_ : 0);
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
      array.halves_ = tensor.take<BFloat16>();
      break;
    case Dtype::i8:
      array.storage_ = Storage::int8;
      array.bytes_ = tensor.take<std::int8_t>();
      array.scales_ = load_values<float>(document, name + ".scale", num_groups(array.size_));
      break;
    default: array.values_ = tensor.take<float>(); break;
  }
  return array;
}

void ParameterArray::save_state(const std::string& name, Document& document) const {
  for (const auto& [part, state] : {std::pair{".first", &first_}, {".second", &second_}}) {
    if (state->empty()) continue;
    document.tensors.push_back(
        Tensor::lend<float>(name + part, {state->size()}, {state->data(), state->size()}));
  }
}

void ParameterArray::load_state(Document& document, const std::string& name) {
  if (!first_.empty()) first_ = load_values<float>(document, name + ".first", size_);
  if (!second_.empty()) second_ = load_values<float>(document, name + ".second", size_);
}

}  // namespace frugal
