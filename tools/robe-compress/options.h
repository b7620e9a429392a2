#pragma once
#include "libcore/cli/tool.h"
#include "tools/robe-compress/generate.h"
#include "tools/robe-compress/options_fit.h"
#include "tools/robe-compress/options_models.h"
#include "tools/robe-compress/options_sweep.h"
#include "tools/robe-compress/options_train.h"

namespace frugal::robe {

/// All options of the program; the tool writes into them while it parses.
struct RobeCompressOptions {
  TrainCommandOptions train;
  ModelCommandOptions models;
  SweepCommandOptions sweep;
  FitCommandOptions fit;
  GenerateOptions generate;
};

/// The tool's commands, bound to `options`, which must outlive it.
Tool robe_compress_tool(RobeCompressOptions& options);

}  // namespace frugal::robe
