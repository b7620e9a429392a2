#pragma once
#include <string>

#include "tools/tgn-train/data/event_stream.h"
#include "tools/tgn-train/train.h"

namespace frugal {

/// What a checkpoint must agree with to be gone on from: all that changes the steps of a training,
/// as text.
std::string training_text(const TrainOptions& options);
/// A hash of the stream's events and of some of its features.
std::string stream_fingerprint(const EventStream& stream);

}  // namespace frugal
