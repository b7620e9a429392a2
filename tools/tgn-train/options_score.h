#pragma once
#include "libcore/cli/tool.h"
#include "tools/tgn-train/score.h"

namespace frugal::tgn {

Command score_command(ScoreOptions& options);

}  // namespace frugal::tgn
