#pragma once
#include "tools/tgn-train/link_data.h"
#include "tools/tgn-train/train.h"

namespace frugal::tgn {

/// What a training begins with. Warns where much of it does not train.
TrainFacts facts_of(const LinkData& data, const TrainOptions& options);

}  // namespace frugal::tgn
