#pragma once
#include "libcore/cli/tool.h"

namespace frugal {

/// What the options of all commands are bound to; must outlive the tool.
struct GnnSampleOptions {};

Tool gnn_sample_tool(GnnSampleOptions& options);

}  // namespace frugal
