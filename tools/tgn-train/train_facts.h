#pragma once
#include "tools/tgn-train/link_data.h"
#include "tools/tgn-train/train.h"

namespace frugal::tgn {

/// What the stream says of a training. Warns where much of it does not train.
TrainFacts facts_of(const LinkData& data, double new_nodes);

}  // namespace frugal::tgn
