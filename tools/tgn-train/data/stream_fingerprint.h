#pragma once
#include <string>

#include "tools/tgn-train/data/event_stream.h"

namespace frugal::tgn {

/// Hash of a stream's events, features and names of edge types, which identifies it.
std::string stream_fingerprint(const EventStream& stream);

/// stream_fingerprint() of the first `events` events and the nodes in them. It does not change when
/// later events and nodes are added, not even if their times have fractions, and does not depend on
/// the numbers of edge types.
std::string prefix_fingerprint(const EventStream& stream, EventId events);

}  // namespace frugal::tgn
