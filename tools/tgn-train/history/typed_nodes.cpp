#include "tools/tgn-train/history/typed_nodes.h"

namespace frugal::tgn {

NodeId TypedNodes::add(std::uint64_t role) {
  const auto [at, is_new] = numbers_.try_emplace(role, static_cast<NodeId>(size()));
  if (is_new) roles_.push_back(role);
  return at->second;
}

bool TypedNodes::is_destination(NodeId number, Destination& destination) const {
  if (number == kNever) return false;
  const std::uint64_t role = roles_[number - 1], type = role & ((1U << kTypeBits) - 1);
  if (type == 0) return false;
  destination = {static_cast<NodeId>(role >> kTypeBits), static_cast<std::uint16_t>(type - 1)};
  return true;
}

bool TypedNodes::restore(std::span<const std::uint64_t> roles, std::size_t num_nodes) {
  numbers_.clear();
  roles_.clear();
  for (const std::uint64_t role : roles) {
    if (role >> kTypeBits >= num_nodes || find(role) != kNever) return false;
    add(role);
  }
  return true;
}

TypedEvents::TypedEvents(const EventView& events) {
  for (EventId e = 0; e < events.size(); ++e) {
    sources.push_back(nodes.add_source(events.sources[e]));
    destinations.push_back(nodes.add_destination(events.destinations[e], events.types[e]));
  }
  view = {sources, destinations, events.times, nodes.size(), {}, events.types};
}

}  // namespace frugal::tgn
