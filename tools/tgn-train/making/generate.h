#pragma once
#include <cstdint>
#include <functional>
#include <span>
#include <string>
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

/// Numbers that are -1 are those of the shape.
struct GenerateOptions {
  std::string output = "-";
  std::string shape = "small";
  double scale = 1;  ///< nodes and events of the shape are divided by this
  std::int64_t nodes = -1, events = -1;
  std::int64_t sources = -1;         ///< 0: nodes of one kind
  std::int64_t distinct_times = -1;  ///< 0: as many as come out
  std::int64_t duration = -1;
  std::int64_t features = -1;
  std::string feature_type = "f32";
  double exponent = -1, recurrence = -1;
  std::uint64_t seed = 0;
  bool if_changed = false;
  std::string history_entry;
};

struct GenerateResult {
  std::uint64_t nodes = 0, sources = 0, events = 0, distinct_times = 0;
  std::uint64_t recurring = 0;  ///< events with one of their source's last partners
  std::uint64_t features = 0;
};

/// Rows written, of all.
using GenerateProgress = std::function<void(std::uint64_t done, std::uint64_t all)>;

/// Writes a generated stream while it makes it. Same options, same bytes. Fails (usage) for options
/// that make no sense.
GenerateResult generate(const GenerateOptions& options, const GenerateProgress& progress);

}  // namespace frugal::tgn
