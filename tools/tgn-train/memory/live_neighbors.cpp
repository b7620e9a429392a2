#include "tools/tgn-train/memory/live_neighbors.h"

#include <algorithm>
#include <cassert>

namespace frugal::tgn {
namespace {

template <class List>
auto first_from(List& list, EventId limit) {
  return std::partition_point(list.begin(), list.end(),
                              [&](const TemporalNeighbor& n) { return n.event < limit; });
}

}  // namespace

std::span<const TemporalNeighbor> LiveNeighbors::before(NodeId v, std::uint32_t limit) const {
  const std::vector<TemporalNeighbor>& list = entries_[v];
  return {list.data(), static_cast<std::size_t>(first_from(list, limit) - list.begin())};
}

void LiveNeighbors::add(NodeId source, NodeId destination, EventId event) {
  assert(source < entries_.size() && destination < entries_.size());
  entries_[source].push_back({destination, event});
  entries_[destination].push_back({source, event});
  if (count_ == kAll) return;
  touched_.push_back(source);
  touched_.push_back(destination);
}

void LiveNeighbors::settle(EventId present) {
  for (const NodeId v : touched_) settle(entries_[v], present);
  touched_.clear();
}

void LiveNeighbors::settle(std::vector<TemporalNeighbor>& list, EventId present) const {
  if (list.size() <= count_) return;
  const auto now = first_from(list, present);
  const auto too_many = [&](auto begin, auto end) {
    const auto n = static_cast<std::size_t>(end - begin);
    return static_cast<std::ptrdiff_t>(n > count_ ? n - count_ : 0);
  };
  const auto early = too_many(now, list.end());
  list.erase(now, now + early);
  const auto past = first_from(list, present);
  list.erase(list.begin(), list.begin() + too_many(list.begin(), past));
}

void LiveNeighbors::renumber(std::span<const EventId> numbers) {
  for (std::vector<TemporalNeighbor>& list : entries_) {
    for (TemporalNeighbor& entry : list) {
      entry.event = numbers[entry.event];
      assert(entry.event != kNoEvent);
    }
  }
}

}  // namespace frugal::tgn
