#pragma once
#include "libcore/cli/tool.h"

namespace frugal {

/// All options of the program; the tool writes into them while it parses.
struct RobeCompressOptions {};

/// The tool's commands, bound to `options`, which must outlive it.
Tool robe_compress_tool(RobeCompressOptions& options);

}  // namespace frugal
