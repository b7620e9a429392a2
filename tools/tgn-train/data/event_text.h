#pragma once
#include <cstdint>

#include "libcore/base/array.h"
#include "libcore/graph/node_names.h"
#include "libcore/tensors/tensor.h"
#include "tools/tgn-train/data/event_parser.h"
#include "tools/tgn-train/data/event_times.h"

namespace frugal::tgn {

/// Events as an input has them, in memory.
struct EventTable {
  Array<NodeId> sources, destinations;
  Array<std::int64_t> whole;  ///< times, or real
  Array<double> real;
  Array<std::uint8_t> labels;  ///< 0 or 1, or empty
  Array<std::uint32_t> rows;   ///< of edge features in a file beside, where the input says so
  Tensor features;             ///< F32 [events, features] of the text, or without shape
  /// Where ids are any text; of destinations where these have names of their own.
  NodeNames source_names, destination_names;
  bool in_order = true;     ///< of time
  std::size_t missing = 0;  ///< features without a value, which are 0

  std::size_t size() const { return sources.size(); }
  bool has_features() const { return !features.shape.empty(); }
  EventTimes times() const {
    return real.empty() ? EventTimes(std::span<const std::int64_t>(whole.data(), whole.size()))
                        : EventTimes(std::span<const double>(real.data(), real.size()));
  }
};

/// The events of a text with this layout, parsed by all threads. Fails (bad_input) with file and
/// line.
EventTable read_event_text(PieceReader& reader, const EventLayout& layout,
                           const EventTextOptions& options, const BytesRead& progress = {});

}  // namespace frugal::tgn
