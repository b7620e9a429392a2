#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "libcore/base/array.h"

namespace frugal {

/// A set of distinct 64-bit hashes, which get the ids 0, 1, 2 ... in the order of insertion. Uses
/// open addressing with linear probing over 8-byte slots (32 bits of the hash and the id), so that
/// a miss costs one cache line.
class HashIndex {
 public:
  static constexpr std::uint32_t kMissing = 0xffffffff;

  HashIndex() { resize_slots(64); }
  /// Gives keys[i] the id i. If a key occurs more than once, find() returns its first id.
  explicit HashIndex(std::vector<std::uint64_t> keys);

  std::uint32_t size() const { return static_cast<std::uint32_t>(keys_.size()); }
  /// The hashes, indexed by id.
  const std::vector<std::uint64_t>& keys() const { return keys_; }

  /// Returns the id of `hash` and inserts it if it is new.
  std::uint32_t insert(std::uint64_t hash) {
    for (std::size_t i = hash & mask_;; i = (i + 1) & mask_) {
      const std::uint64_t slot = slots_[i];
      if (slot == 0) return insert_at(i, hash);
      if (holds(slot, hash)) return id_of(slot);
    }
  }
  /// Returns the id of `hash`, or kMissing.
  std::uint32_t find(std::uint64_t hash) const {
    for (std::size_t i = hash & mask_;; i = (i + 1) & mask_) {
      const std::uint64_t slot = slots_[i];
      if (slot == 0) return kMissing;
      if (holds(slot, hash)) return id_of(slot);
    }
  }
  /// Prefetches the cache line that find(hash) will read.
  void prefetch(std::uint64_t hash) const { __builtin_prefetch(&slots_[hash & mask_]); }

 private:
  /// Slot of a hash. The index of the slot uses the low bits of the hash, the slot itself stores
  /// bits 24 to 55: together they identify nearly all of it.
  static std::uint64_t make_slot(std::uint64_t hash, std::uint32_t id) {
    return (hash >> 24) << 32 | (id + 1);
  }
  static std::uint32_t id_of(std::uint64_t slot) { return static_cast<std::uint32_t>(slot) - 1; }
  bool holds(std::uint64_t slot, std::uint64_t hash) const {
    return (slot ^ (hash >> 24 << 32)) >> 32 == 0 && keys_[id_of(slot)] == hash;
  }
  std::uint32_t insert_at(std::size_t i, std::uint64_t hash);
  void resize_slots(std::size_t num_slots);

  std::vector<std::uint64_t> keys_;
  Array<std::uint64_t> slots_;  ///< 0 = free, else make_slot(); a power of two, at most 2/3 full
  std::size_t mask_ = 0;
};

}  // namespace frugal
