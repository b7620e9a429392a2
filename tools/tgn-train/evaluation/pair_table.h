#pragma once
#include <cstddef>
#include <cstdint>

#include "libcore/base/array.h"
#include "libcore/base/hash.h"
#include "libcore/graph/csr.h"
#include "tools/tgn-train/data/event_times.h"

namespace frugal::tgn {

/// Pairs of nodes that met: open addressing with linear probing, 16 bytes a slot, at most three
/// quarters of the slots in use. One that is looked for costs a cache line as a rule.
class PairTable {
 public:
  struct Pair {
    NodeId source = 0, destination = 0;
    EventId last = 0;         ///< as add() was told
    std::uint32_t count = 0;  ///< of meetings; 0: the slot is free
  };

  /// Begins with room for `pairs` of them.
  explicit PairTable(std::size_t pairs = 0);

  /// The pair, or null if it never met.
  const Pair* find(NodeId source, NodeId destination) const {
    const Pair& pair = slots_[slot_of(source, destination)];
    return pair.count == 0 ? nullptr : &pair;
  }
  /// Asks for the cache line that find() will read.
  void prefetch(NodeId source, NodeId destination) const {
    __builtin_prefetch(slots_.data() + (hash(source, destination) & mask_));
  }
  /// Another meeting.
  void add(NodeId source, NodeId destination, EventId event);

  std::size_t size() const { return size_; }
  std::size_t num_bytes() const { return slots_.size() * sizeof(Pair); }

 private:
  static std::uint64_t hash(NodeId source, NodeId destination) {
    return mix64(std::uint64_t{source} << 32 | destination);
  }
  /// Where the pair is, or the free slot where it belongs.
  std::size_t slot_of(NodeId source, NodeId destination) const {
    std::size_t i = hash(source, destination) & mask_;
    while (slots_[i].count != 0 &&
           (slots_[i].source != source || slots_[i].destination != destination)) {
      i = (i + 1) & mask_;
    }
    return i;
  }
  void grow();

  Array<Pair> slots_;  ///< a power of two of them
  std::size_t mask_ = 0, size_ = 0;
};

}  // namespace frugal::tgn
