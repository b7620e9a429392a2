#pragma once
#include "libcore/cli/tool.h"
#include "tools/gnn-sample/generate.h"
#include "tools/gnn-sample/import.h"
#include "tools/gnn-sample/options_sampling.h"

namespace frugal {

/// What the options of all commands are bound to; must outlive the tool.
struct GnnSampleOptions {
  SampleCommandOptions sample;
  BenchCommandOptions bench;
  GenerateOptions generate;
  ImportOptions import_graph;
};

Tool gnn_sample_tool(GnnSampleOptions& options);

}  // namespace frugal
