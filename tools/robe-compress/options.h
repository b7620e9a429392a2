#pragma once
#include "libcore/cli/tool.h"
#include "tools/robe-compress/generate.h"

namespace frugal {

/// All options of the program; the tool writes into them while it parses.
struct RobeCompressOptions {
  GenerateOptions generate;
};

/// The tool's commands, bound to `options`, which must outlive it.
Tool robe_compress_tool(RobeCompressOptions& options);

}  // namespace frugal
