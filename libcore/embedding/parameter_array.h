#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "libcore/base/array.h"
#include "libcore/base/float16.h"
#include "libcore/embedding/embedding.h"
#include "libcore/embedding/storage.h"
#include "libcore/kernels/kernels.h"
#include "libcore/nn/optimizer.h"
#include "libcore/tensors/tensor_file.h"

namespace frugal {

/// The numbers [slot, slot + length) of an array.
struct SlotRange {
  std::uint64_t slot = 0;
  std::size_t length = 0;
};

/// The parameters of an embedding in one array, with an optimiser's state of the same shape. They
/// are f32 during training; afterwards they may be stored in fewer bytes and read in that form.
class ParameterArray {
 public:
  /// Numbers of a page, which belongs to one thread or rank during a step. It is larger than a
  /// block, unless blocks are rows.
  static constexpr std::size_t kPage = 4096;

  ParameterArray() = default;
  explicit ParameterArray(std::uint64_t size) : size_(size), values_(size) {}

  std::uint64_t size() const { return size_; }
  Storage storage() const { return storage_; }
  std::uint64_t num_bytes() const { return stored_bytes(storage_, size_); }

  /// The numbers; storage() must be f32.
  std::span<float> values();
  std::span<const float> values() const;
  /// Fills slots [begin, end) uniformly from [-bound, bound], as a function of (seed, slot).
  void fill_uniform(std::uint64_t begin, std::uint64_t end, double bound, std::uint64_t seed);
  /// Rounds to another storage, or converts back to f32.
  void store_as(Storage storage);

  /// out[j * length + i] = number places[j] * unit + i of the array, for j < n and i < length.
  void gather(const std::uint32_t* places, std::size_t n, std::size_t unit, std::size_t length,
              float* out) const;
  void read(SlotRange range, float* out) const;

  void prepare_training(const OptimizerOptions& optimizer);
  /// Trains for a storage: during training, look-ups return numbers rounded to it, with the scales
  /// of the last refresh_scales(). The gradient is that of the rounded numbers (straight-through:
  /// Bengio et al., 2013). Only int4 is coarse enough to need it.
  void train_for(Storage storage) { target_ = storage; }
  /// Storage after training: the target of train_for() while numbers are f32, else the present
  /// storage.
  Storage final_storage() const { return storage_ == Storage::f32 ? target_ : storage_; }
  bool needs_scales() const { return storage_ == Storage::f32 && target_ == Storage::int4; }
  void refresh_scales();
  std::span<BFloat16> training_scales() { return {nibble_scales_.data(), nibble_scales_.size()}; }
  const OptimizerOptions& optimizer() const { return optimizer_; }
  /// State of the optimiser, [size] each: Adagrad's sums or Adam's means, and Adam's mean squares.
  float* first_state() { return first_.data(); }
  float* second_state() { return second_.data(); }

  /// Appends tensors NAME and, for int8, NAME.scale; they borrow this array's memory.
  void save(const std::string& name, Document& document) const;
  /// Fails (bad_input) if a tensor is missing or has another type or shape.
  static ParameterArray load(Document& document, const std::string& name);
  void save_state(const std::string& name, Document& document) const;
  void load_state(Document& document, const std::string& name);

 private:
  void to_f32();
  void to_int8();
  void to_int4();
  /// int8, int4: addresses of levels and scales.
  LevelRows level_rows() const;
  void gather_levels(const LevelRows& rows) const;
  void round_as_int4(SlotRange range, float* values) const;

  std::uint64_t size_ = 0;
  Storage storage_ = Storage::f32;
  Storage target_ = Storage::f32;  ///< storage that look-ups imitate during training
  Array<float> values_;
  Array<BFloat16> halves_;
  Array<std::int8_t> bytes_;
  Array<float> scales_;
  /// Levels of int4: two numbers per byte as level + 8, the first in the lower half.
  Array<std::uint8_t> nibbles_;
  Array<BFloat16> nibble_scales_;  ///< scales of int4, also while training for it
  OptimizerOptions optimizer_;
  Array<float> first_, second_;
};

}  // namespace frugal
