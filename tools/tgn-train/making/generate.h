#pragma once
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>

namespace frugal::tgn {

/// Preset of `generate --shape`.
struct EventShape {
  std::string_view name, description;
  std::uint64_t nodes = 0, sources = 0, events = 0;  ///< sources: 0 for nodes of one kind
  std::uint64_t distinct_times = 0, duration = 0;    ///< distinct_times: 0 for as many as are drawn
  std::uint64_t features = 0;
  double exponent = 2, recurrence = 0;
};

std::span<const EventShape> event_shapes();

/// Fails (usage) for an unknown name, with a list of the known ones.
const EventShape& event_shape(std::string_view name);

/// Options of `generate`. A number of -1 is taken from the shape.
struct GenerateOptions {
  std::string output = "-";
  std::string shape = "small";
  double scale = 1;  ///< nodes and events of the shape are divided by this
  std::int64_t nodes = -1, events = -1;
  std::int64_t sources = -1;         ///< 0: nodes of one kind
  std::int64_t distinct_times = -1;  ///< 0: as many as are drawn
  std::int64_t duration = -1;
  std::int64_t features = -1;
  std::uint64_t types = 0;  ///< edge types; 0: events have none
  std::string feature_type = "f32";
  double exponent = -1, recurrence = -1;
  std::uint64_t seed = 0;
  std::string history_entry;
};

struct GenerateResult {
  std::uint64_t nodes = 0, sources = 0, events = 0, distinct_times = 0;
  std::uint64_t recurring = 0;  ///< events whose destination is one of the source's last partners
  std::uint64_t features = 0;
  std::uint64_t types = 0;
};

/// Called with the number of rows written, and of all rows.
using GenerateProgress = std::function<void(std::uint64_t done, std::uint64_t all)>;

/// Generates a stream and writes it piece by piece. Equal options give equal bytes. Fails (usage)
/// for invalid options.
GenerateResult generate(const GenerateOptions& options, const GenerateProgress& progress);

}  // namespace frugal::tgn
