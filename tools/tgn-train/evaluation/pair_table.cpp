#include "tools/tgn-train/evaluation/pair_table.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <utility>

namespace frugal::tgn {

PairTable::PairTable(std::size_t pairs)
    : slots_(std::bit_ceil(std::max<std::size_t>(16, pairs + pairs / 3 + 1))),
      mask_(slots_.size() - 1) {}

void PairTable::add(NodeId source, NodeId destination, EventId event) {
  Pair* pair = &slots_[slot_of(source, destination)];
  if (pair->count == 0 && (size_ + 1) * 4 > slots_.size() * 3) {
    grow();
    pair = &slots_[slot_of(source, destination)];
  }
  if (pair->count == 0) {
    ++size_;
    pair->source = source;
    pair->destination = destination;
  }
  pair->last = event;
  if (pair->count != std::numeric_limits<std::uint32_t>::max()) ++pair->count;
}

void PairTable::grow() {
  const Array<Pair> old = std::exchange(slots_, Array<Pair>(slots_.size() * 2));
  mask_ = slots_.size() - 1;
  for (const Pair& pair : old) {
    if (pair.count != 0) slots_[slot_of(pair.source, pair.destination)] = pair;
  }
}

}  // namespace frugal::tgn
