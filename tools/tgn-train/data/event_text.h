#pragma once
#include <cstdint>

#include "libcore/base/array.h"
#include "libcore/graph/node_names.h"
#include "libcore/tensors/tensor.h"
#include "tools/tgn-train/data/event_parser.h"
#include "tools/tgn-train/data/event_times.h"

namespace frugal::tgn {

/// Events of an input, in memory.
struct EventTable {
  Array<NodeId> sources, destinations;
  Array<std::int64_t> whole;  ///< times as integers, or:
  Array<double> real;
  Array<std::uint8_t> labels;  ///< 0 or 1, or empty
  Array<float> targets;        ///< labels as numbers or numbers of classes, NaN for none; or empty
  HeaderNames classes;         ///< names of the classes; numbers ascend, other names go by letter
  Array<std::uint16_t> types;  ///< numbers of edge types, or empty
  HeaderNames type_names;      ///< of the types, in the same order as classes
  Array<std::uint32_t> rows;   ///< rows of edge features in a separate file, if the input has them
  Tensor features;             ///< F32 [events, features] from the text, or without shape
  /// Names, if ids are any text; destination_names: if destinations have names of their own.
  NodeNames source_names, destination_names;
  bool in_order = true;        ///< times do not fall
  std::size_t missing = 0;     ///< features without a value, which are 0
  std::size_t no_classes = 0;  ///< labels that are words for a missing value, not classes

  std::size_t size() const { return sources.size(); }
  bool has_features() const { return !features.shape.empty(); }
  EventTimes times() const {
    return real.empty() ? EventTimes(std::span<const std::int64_t>(whole.data(), whole.size()))
                        : EventTimes(std::span<const double>(real.data(), real.size()));
  }
};

/// Reads the events of a text with this layout, on all threads. Fails (bad_input) with file and
/// line.
EventTable read_event_text(PieceReader& reader, const EventLayout& layout,
                           const EventTextOptions& options, const BytesRead& progress = {});

}  // namespace frugal::tgn
