#pragma once
#include "tools/tgn-train/data/event_parser.h"
#include "tools/tgn-train/data/event_table.h"

namespace frugal::tgn {

/// The events of a text with this layout, parsed by all threads. Fails (bad_input) with file and
/// line.
EventTable read_event_text(PieceReader& reader, const EventLayout& layout,
                           const EventTextOptions& options, const BytesRead& progress = {});

}  // namespace frugal::tgn
