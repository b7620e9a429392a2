#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "libcore/base/array.h"
#include "libcore/base/float16.h"
#include "libcore/io/tensor_file.h"
#include "libcore/nn/optimizer.h"

namespace frugal {

/// How numbers are kept. int8: one scale for each kScaleGroup numbers, their largest magnitude is
/// 127 of it.
enum class Storage { f32, bf16, int8 };

std::vector<std::string> storage_names();
/// Fails (usage) on an unknown name.
Storage storage_from_name(std::string_view name);
std::string_view storage_name(Storage storage);
/// Bytes that `size` numbers take.
std::uint64_t stored_bytes(Storage storage, std::uint64_t size);
/// The most numbers that fit into `bytes`.
std::uint64_t numbers_in(Storage storage, std::uint64_t bytes);

/// Numbers [slot, slot + length) of an array.
struct SlotRange {
  std::uint64_t slot = 0;
  std::size_t length = 0;
};

/// The parameters of an embedding in one array, with an optimiser's state of the same shape. Kept
/// as f32 while it is trained; may be stored as bf16 or int8 and looked up in that form.
class ParameterArray {
 public:
  static constexpr std::size_t kScaleGroup = 64;

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

  std::uint64_t size_ = 0;
  Storage storage_ = Storage::f32;
  Array<float> values_;
  Array<BFloat16> halves_;
  Array<std::int8_t> bytes_;
  Array<float> scales_;
  OptimizerOptions optimizer_;
  Array<float> first_, second_;
};

}  // namespace frugal
