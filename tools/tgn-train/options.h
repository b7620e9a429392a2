#pragma once
#include "libcore/cli/tool.h"

namespace frugal {

/// What the options of all commands are bound to; must outlive the tool.
struct TgnTrainOptions {};

Tool tgn_train_tool(TgnTrainOptions& options);

}  // namespace frugal
