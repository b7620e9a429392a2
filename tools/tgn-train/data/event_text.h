#pragma once
#include <cstdint>
#include <limits>

#include "libcore/io/text_lines.h"
#include "tools/tgn-train/data/event_file.h"
#include "tools/tgn-train/data/event_layout.h"
#include "tools/tgn-train/data/event_table.h"

namespace frugal {

struct EventTextOptions {
  std::uint64_t num_nodes = kMostNodes;  ///< ids are below it
  bool names = false;                    ///< ids are any text
  bool own_names = false;  ///< a destination is another node than the source of the same name
  bool any_order = false;  ///< else times must not fall
};

/// The events of a text with this layout, parsed by all threads. Fails (bad_input) with file and
/// line.
EventTable read_event_text(PieceReader& reader, const EventLayout& layout,
                           const EventTextOptions& options, const BytesRead& progress = {});

}  // namespace frugal
