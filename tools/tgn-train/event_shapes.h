#pragma once
#include <cstdint>
#include <span>
#include <string_view>

namespace frugal::tgn {

/// What `generate --shape` stands for.
struct EventShape {
  std::string_view name, description;
  std::uint64_t nodes = 0, sources = 0, events = 0;  ///< sources: 0 where nodes are of one kind
  std::uint64_t distinct_times = 0, duration = 0;    ///< 0: as come out
  std::uint64_t features = 0;
  double exponent = 2, recurrence = 0;
};

std::span<const EventShape> event_shapes();

/// Fails (usage) naming those there are.
const EventShape& event_shape(std::string_view name);

}  // namespace frugal::tgn
