#pragma once
#include <string>

#include "tools/tgn-train/data/event_stream.h"

namespace frugal::tgn {

/// What tells a stream from others: a hash of its events and features.
std::string stream_fingerprint(const EventStream& stream);

/// The same of its first events and the nodes in them alone: that of a stream to which later events
/// and their nodes were added, whole times with fractions among them.
std::string prefix_fingerprint(const EventStream& stream, EventId events);

}  // namespace frugal::tgn
