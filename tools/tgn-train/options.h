#pragma once
#include "libcore/cli/tool.h"
#include "tools/tgn-train/generate.h"
#include "tools/tgn-train/import.h"
#include "tools/tgn-train/options_eval.h"
#include "tools/tgn-train/options_sweep.h"
#include "tools/tgn-train/options_train.h"
#include "tools/tgn-train/predict.h"

namespace frugal::tgn {

/// What the options of all commands are bound to; must outlive the tool.
struct TgnTrainOptions {
  GenerateOptions generate;
  ImportOptions import_events;
  TrainCommandOptions train;
  SweepCommandOptions sweep;
  EvalOptions eval;
  EmbedOptions embed;
  PredictOptions predict;
};

Tool tgn_train_tool(TgnTrainOptions& options);

}  // namespace frugal::tgn
