#pragma once
#include <string>

#include "tools/tgn-train/data/event_stream.h"

namespace frugal {

/// What tells a stream from others: a hash of its events and features.
std::string stream_fingerprint(const EventStream& stream);

}  // namespace frugal
