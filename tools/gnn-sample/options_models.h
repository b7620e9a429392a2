#pragma once
#include <string>

#include "libcore/cli/tool.h"
#include "tools/gnn-sample/predict.h"

namespace frugal::gnn {

struct EvalCommandOptions {
  EvalCommandOptions() { eval.nodes = "labelled"; }

  ModelOnGraphOptions eval;
};

struct PredictCommandOptions {
  PredictCommandOptions() { predict.nodes = "all"; }

  PredictOptions predict;
};

Command eval_command(EvalCommandOptions& options);
Command predict_command(PredictCommandOptions& options);

}  // namespace frugal::gnn
