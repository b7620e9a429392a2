#pragma once
#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>

#include "libcore/base/array.h"

// Local ids by global ids, for one mini-batch after the other. No table is cleared: an entry counts
// only if it has the stamp of the batch. All have
//   start()                         forgets everything
//   prefetch(id)                    asks for the line that insert(id) will need
//   insert(id, next) -> local id    that of `id`, or `next` where it is new
// so that `local == next` tells that it is new. Local ids are below kMaxLocal of the table.
namespace frugal {

/// One entry of 8 bits of stamp and 24 of local id a node: the fastest while it fits the cache.
class DenseIdTable {
 public:
  static constexpr std::uint64_t kMaxLocal = 1 << 24;
  static std::uint64_t num_bytes(std::uint64_t num_nodes) { return num_nodes * 4; }

  explicit DenseIdTable(std::size_t num_nodes) : entries_(num_nodes) {}

  void start() {
    if (++stamp_ == 0x100) {
      std::fill(entries_.begin(), entries_.end(), 0);
      stamp_ = 1;
    }
  }
  void make_room(std::uint64_t /*num_local*/) {}
  void prefetch(std::uint32_t id) const { __builtin_prefetch(&entries_[id], 1, 3); }
  std::uint32_t insert(std::uint32_t id, std::uint32_t next) {
    const std::uint32_t entry = entries_[id];
    if (entry >> 24 == stamp_) return entry & 0xffffff;
    entries_[id] = stamp_ << 24 | next;
    return next;
  }

 private:
  Array<std::uint32_t> entries_;
  std::uint32_t stamp_ = 0;
};

/// Open addressing over 8 bits of stamp, 32 of global and 24 of local id: its size is that of the
/// mini-batches, not of the graph.
class HashIdTable {
 public:
  static constexpr std::uint64_t kMaxLocal = 1 << 24;

  HashIdTable() : slots_(kMinSlots), mask_(kMinSlots - 1) {}

  void start() {
    if (++stamp_ == 0x100) {
      std::fill(slots_.begin(), slots_.end(), 0);
      stamp_ = 1;
    }
  }
  /// At most half of the slots are used by `num_local` ids. Moves what is there.
  void make_room(std::uint64_t num_local) {
    std::size_t size = slots_.size();
    while (size < 2 * num_local) size *= 2;
    if (size == slots_.size()) return;
    const Array<std::uint64_t> old = std::move(slots_);
    slots_ = Array<std::uint64_t>(size);
    mask_ = static_cast<std::uint32_t>(size - 1);
    for (const std::uint64_t slot : old) {
      if (slot >> 56 != stamp_) continue;
      insert(static_cast<std::uint32_t>(slot >> 24), static_cast<std::uint32_t>(slot & 0xffffff));
    }
  }
  void prefetch(std::uint32_t id) const { __builtin_prefetch(&slots_[place(id)], 1, 3); }
  std::uint32_t insert(std::uint32_t id, std::uint32_t next) {
    const std::uint64_t tag = std::uint64_t{stamp_} << 32 | id;
    for (std::uint32_t at = place(id);; at = (at + 1) & mask_) {
      const std::uint64_t slot = slots_[at];
      if (slot >> 24 == tag) return static_cast<std::uint32_t>(slot & 0xffffff);
      if (slot >> 56 != stamp_) {
        slots_[at] = tag << 24 | next;
        return next;
      }
    }
  }

 private:
  static constexpr std::size_t kMinSlots = 1024;

  std::uint32_t place(std::uint32_t id) const {
    return static_cast<std::uint32_t>(id * std::uint64_t{0x9e3779b97f4a7c15} >> 32) & mask_;
  }

  Array<std::uint64_t> slots_;
  std::uint32_t mask_;
  std::uint32_t stamp_ = 0;
};

/// 32 bits of stamp and 32 of local id a node, for mini-batches of any size.
class WideIdTable {
 public:
  static constexpr std::uint64_t kMaxLocal = std::uint64_t{1} << 32;

  explicit WideIdTable(std::size_t num_nodes) : entries_(num_nodes) {}

  void start() { ++stamp_; }
  void make_room(std::uint64_t /*num_local*/) {}
  void prefetch(std::uint32_t id) const { __builtin_prefetch(&entries_[id], 1, 3); }
  std::uint32_t insert(std::uint32_t id, std::uint32_t next) {
    const std::uint64_t entry = entries_[id];
    if (entry >> 32 == stamp_) return static_cast<std::uint32_t>(entry);
    entries_[id] = stamp_ << 32 | next;
    return next;
  }

 private:
  Array<std::uint64_t> entries_;
  std::uint64_t stamp_ = 0;
};

}  // namespace frugal
