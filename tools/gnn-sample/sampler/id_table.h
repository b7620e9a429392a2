#pragma once
#include <algorithm>
#include <bit>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <variant>

#include "libcore/base/array.h"

// Local ids by global ids, for one mini-batch after the other. No table is cleared: an entry counts
// only if it has the stamp of the batch. All have
//   start()                         forgets everything
//   prefetch(id)                    asks for the line that insert(id) will need
//   insert(id, next) -> local id    that of `id`, or `next` where it is new
// so that `local == next` tells that it is new. Local ids are below kMaxLocal of the table. An id
// is a Key: a node, or where kTrees is set a node of one seed's neighbourhood. Such tables have
//   key(root, node), node(key)      the key of a node in the neighbourhood of seed `root`, and back
namespace frugal::gnn {

/// `local` of a known id, else `next`: without a branch, which would go either way at random.
inline std::uint32_t choose_local(bool known, std::uint32_t local, std::uint32_t next) {
  return next ^ ((next ^ local) & (0U - static_cast<std::uint32_t>(known)));
}

/// One entry of 8 bits of stamp and 24 of local id a node: the fastest while it fits the cache.
class DenseIdTable {
 public:
  using Key = std::uint32_t;
  static constexpr bool kTrees = false;
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
    const std::uint32_t local = choose_local(entry >> 24 == stamp_, entry & 0xffffff, next);
    entries_[id] = stamp_ << 24 | local;
    return local;
  }

 private:
  Array<std::uint32_t> entries_;
  std::uint32_t stamp_ = 0;
};

/// Open addressing over 8 bits of stamp, 32 of global and 24 of local id: its size is that of the
/// mini-batches, not of the graph.
class HashIdTable {
 public:
  using Key = std::uint32_t;
  static constexpr bool kTrees = false;
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
  using Key = std::uint32_t;
  static constexpr bool kTrees = false;
  static constexpr std::uint64_t kMaxLocal = std::uint64_t{1} << 32;

  explicit WideIdTable(std::size_t num_nodes) : entries_(num_nodes) {}

  void start() { ++stamp_; }
  void make_room(std::uint64_t /*num_local*/) {}
  void prefetch(std::uint32_t id) const { __builtin_prefetch(&entries_[id], 1, 3); }
  std::uint32_t insert(std::uint32_t id, std::uint32_t next) {
    const std::uint64_t entry = entries_[id];
    const std::uint32_t local =
        choose_local(entry >> 32 == stamp_, static_cast<std::uint32_t>(entry), next);
    entries_[id] = stamp_ << 32 | local;
    return local;
  }

 private:
  Array<std::uint64_t> entries_;
  std::uint64_t stamp_ = 0;
};

/// HashIdTable for neighbourhoods whose seed and node have 32 bits together: half the memory of
/// TreeIdTable.
class NarrowTreeIdTable : public HashIdTable {
 public:
  static constexpr bool kTrees = true;

  static bool can_hold(std::uint64_t num_nodes, std::uint64_t num_seeds) {
    return bits_of(num_nodes) + bits_of(num_seeds) <= 32;
  }
  explicit NarrowTreeIdTable(std::uint64_t num_nodes) : node_bits_(bits_of(num_nodes)) {}

  Key key(std::uint32_t root, std::uint32_t node) const {
    return static_cast<Key>(std::uint64_t{root} << node_bits_ | node);
  }
  std::uint32_t node(Key key) const {
    return static_cast<std::uint32_t>(key & ((std::uint64_t{1} << node_bits_) - 1));
  }

 private:
  static int bits_of(std::uint64_t count) { return static_cast<int>(std::bit_width(count - 1)); }

  int node_bits_;
};

/// Open addressing over keys of 64 bits, 32 of stamp and 32 of local id.
class TreeIdTable {
 public:
  using Key = std::uint64_t;
  static constexpr bool kTrees = true;
  static constexpr std::uint64_t kMaxLocal = std::uint64_t{1} << 32;

  TreeIdTable() : slots_(kMinSlots), mask_(kMinSlots - 1) {}

  static Key key(std::uint32_t root, std::uint32_t node) { return Key{root} << 32 | node; }
  static std::uint32_t node(Key key) { return static_cast<std::uint32_t>(key); }

  void start() {
    if (++stamp_ == kMaxLocal) {
      std::fill(slots_.begin(), slots_.end(), Slot{});
      stamp_ = 1;
    }
  }
  /// At most half of the slots are used by `num_local` ids. Moves what is there.
  void make_room(std::uint64_t num_local) {
    std::size_t size = slots_.size();
    while (size < 2 * num_local) size *= 2;
    if (size == slots_.size()) return;
    const Array<Slot> old = std::move(slots_);
    slots_ = Array<Slot>(size);
    mask_ = size - 1;
    for (const Slot& slot : old) {
      if (slot.entry >> 32 == stamp_) insert(slot.key, static_cast<std::uint32_t>(slot.entry));
    }
  }
  void prefetch(std::uint64_t key) const { __builtin_prefetch(&slots_[place(key)], 1, 3); }
  std::uint32_t insert(std::uint64_t key, std::uint32_t next) {
    for (std::uint64_t at = place(key);; at = (at + 1) & mask_) {
      Slot& slot = slots_[at];
      if (slot.entry >> 32 != stamp_) {
        slot = {key, stamp_ << 32 | next};
        return next;
      }
      if (slot.key == key) return static_cast<std::uint32_t>(slot.entry);
    }
  }

 private:
  struct Slot {
    std::uint64_t key = 0, entry = 0;
  };
  static constexpr std::size_t kMinSlots = 1024;

  std::uint64_t place(std::uint64_t key) const {
    const std::uint64_t product = key * std::uint64_t{0x9e3779b97f4a7c15};
    return (product ^ product >> 32) & mask_;
  }

  Array<Slot> slots_;
  std::uint64_t mask_;
  std::uint64_t stamp_ = 0;
};

using IdTable =
    std::variant<DenseIdTable, HashIdTable, WideIdTable, NarrowTreeIdTable, TreeIdTable>;

}  // namespace frugal::gnn
