#pragma once
#include "libcore/cli/tool.h"
#include "tools/gnn-sample/generate.h"
#include "tools/gnn-sample/import.h"
#include "tools/gnn-sample/options_bench.h"
#include "tools/gnn-sample/options_models.h"
#include "tools/gnn-sample/options_sample.h"
#include "tools/gnn-sample/options_train.h"
#include "tools/gnn-sample/partition.h"

namespace frugal::gnn {

/// What the options of all commands are bound to; must outlive the tool.
struct GnnSampleOptions {
  SampleCommandOptions sample;
  BenchOptions bench;
  TrainCommandOptions train;
  PredictCommandOptions predict;
  EvalCommandOptions eval;
  GenerateOptions generate;
  PartitionCommandOptions partition;
  ImportOptions import_graph;

  GnnSampleOptions() { bench.round_seconds = 5; }
};

Tool gnn_sample_tool(GnnSampleOptions& options);

}  // namespace frugal::gnn
