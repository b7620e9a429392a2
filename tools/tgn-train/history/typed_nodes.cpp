#include "tools/tgn-train/history/typed_nodes.h"

#include "libcore/system/limits.h"

namespace frugal::tgn {

NodeId TypedNodes::add(std::uint64_t role) {
  const auto [at, is_new] = numbers_.try_emplace(role, static_cast<NodeId>(size()));
  if (!is_new) return at->second;
  roles_.push_back(role);
  const std::size_t type = role & ((1U << kTypeBits) - 1);
  if (type > destinations_.size()) destinations_.resize(type);
  if (type != 0) destinations_[type - 1].push_back(at->second);
  return at->second;
}

bool TypedNodes::restore(std::span<const std::uint64_t> roles, std::size_t num_nodes) {
  numbers_.clear();
  roles_.clear();
  destinations_.clear();
  for (const std::uint64_t role : roles) {
    if (role >> kTypeBits >= num_nodes || find(role) != kNever) return false;
    add(role);
  }
  return true;
}

TypedEvents::TypedEvents(const EventView& events) {
  check_memory("the history within edge types", events.size() * 2 * sizeof(NodeId));
  sources.reserve(events.size());
  destinations.reserve(events.size());
  for (EventId e = 0; e < events.size(); ++e) {
    sources.push_back(nodes.add_source(events.sources[e]));
    destinations.push_back(nodes.add_destination(events.destinations[e], events.types[e]));
  }
  view = {sources, destinations, events.times, nodes.size(), {}, events.types};
}

}  // namespace frugal::tgn
