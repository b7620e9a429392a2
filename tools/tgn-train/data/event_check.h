#pragma once
#include <string>

#include "tools/tgn-train/data/event_file.h"

namespace frugal::tgn {

/// Fails (bad_input) with `path`, the tensor and the first event, or node, that breaks a promise of
/// EventContent. Shapes are right already. Reads everything once, on all threads.
void check_events(const EventContent& content, const std::string& path);

}  // namespace frugal::tgn
