#pragma once
#include "libcore/cli/tool.h"
#include "tools/gnn-sample/generate.h"
#include "tools/gnn-sample/import.h"
#include "tools/gnn-sample/options_models.h"
#include "tools/gnn-sample/options_sampling.h"
#include "tools/gnn-sample/options_train.h"
#include "tools/gnn-sample/partition.h"

namespace frugal::gnn {

/// What the options of all commands are bound to; must outlive the tool.
struct GnnSampleOptions {
  SampleCommandOptions sample;
  BenchCommandOptions bench;
  TrainCommandOptions train;
  PredictCommandOptions predict;
  EvalCommandOptions eval;
  GenerateOptions generate;
  PartitionCommandOptions partition;
  ImportOptions import_graph;
};

Tool gnn_sample_tool(GnnSampleOptions& options);

}  // namespace frugal::gnn
