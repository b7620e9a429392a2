#pragma once
#include "tools/robe-compress/search/epoch_search.h"

namespace frugal::robe {

/// One model of architecture wide-dlrm whose logits are the means of those of a dlrm, of these
/// options, and of a linear model of the same fields, both with --method full. A row has the dlrm's
/// numbers, then its weight.
TrialModel blend(const TrialModel& dlrm, const TrialModel& linear, NetworkOptions options);

}  // namespace frugal::robe
