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

/// Numbers [slot, slot + length) of an array.
struct SlotRange {
  std::uint64_t slot = 0;
  std::size_t length = 0;
};

/// The parameters of an embedding in one array, with an optimiser's state of the same shape. Kept
/// as f32 while it is trained; may be stored in fewer bytes and looked up in that form.
class ParameterArray {
 public:
  /// Numbers that belong to one thread or rank while they are stepped: more than a block has, but
  /// for blocks of rows.
  static constexpr std::size_t kPage = 4096;

  ParameterArray() = default;
  explicit ParameterArray(std::uint64_t size) : size_(size), values_(size) {}

  std::uint64_t size() const { return size_; }
  Storage storage() const { return storage_; }
  std::uint64_t num_bytes() const { return stored_bytes(storage_, size_); }

  /// The numbers; storage() is f32.
  std::span<float> values();
  std::span<const float> values() const;
  /// Uniform in [-bound, bound] from slot `begin` to `end`, a function of (seed, slot).
  void fill_uniform(std::uint64_t begin, std::uint64_t end, double bound, std::uint64_t seed);
  /// Rounds to another storage, or back to f32.
  void store_as(Storage storage);

  /// out[j * length + i] = number i behind slot places[j] * unit, for n places.
  void gather(const std::uint32_t* places, std::size_t n, std::size_t unit, std::size_t length,
              float* out) const;
  void read(SlotRange range, float* out) const;

  void prepare_training(const OptimizerOptions& optimizer);
  /// While it is f32 and trained, look-ups answer as if it were stored so, with the scales of the
  /// last refresh_scales(), and the gradient is that of the rounded numbers (straight-through:
  /// Bengio et al., 2013). Only int4 is coarse enough to need it.
  void train_for(Storage storage) { target_ = storage; }
  /// What it is stored as, or will be once it is trained.
  Storage final_storage() const { return storage_ == Storage::f32 ? target_ : storage_; }
  bool needs_scales() const { return storage_ == Storage::f32 && target_ == Storage::int4; }
  void refresh_scales();
  std::span<BFloat16> training_scales() { return {nibble_scales_.data(), nibble_scales_.size()}; }
  const OptimizerOptions& optimizer() const { return optimizer_; }
  /// Adagrad's sums or Adam's means: [size]; Adam's mean squares: [size].
  float* first_state() { return first_.data(); }
  float* second_state() { return second_.data(); }

  /// Appends tensors NAME and, for int8, NAME.scale, lent: they are this array's memory.
  void save(const std::string& name, Document& document) const;
  /// Fails (bad_input) where a tensor is missing, or of another type or shape.
  static ParameterArray load(Document& document, const std::string& name);
  void save_state(const std::string& name, Document& document) const;
  void load_state(Document& document, const std::string& name);

 private:
  void to_f32();
  void to_int8();
  void to_int4();
  /// int8, int4: where levels and scales lie.
  LevelRows level_rows() const;
  void gather_levels(const LevelRows& rows) const;
  void round_as_int4(SlotRange range, float* values) const;

  std::uint64_t size_ = 0;
  Storage storage_ = Storage::f32;
  Storage target_ = Storage::f32;  ///< what look-ups answer as while it is trained
  Array<float> values_;
  Array<BFloat16> halves_;
  Array<std::int8_t> bytes_;
  Array<float> scales_;
  Array<std::uint8_t> nibbles_;    ///< int4: two levels + 8, the first in the lower half
  Array<BFloat16> nibble_scales_;  ///< of int4, or while it is trained for that
  OptimizerOptions optimizer_;
  Array<float> first_, second_;
};

}  // namespace frugal
