#pragma once
#include <string>

#include "libcore/cli/tool.h"
#include "tools/sparse-train/predict.h"
#include "tools/sparse-train/train.h"

namespace frugal {

struct EvalOptions {
  std::string model;
  std::string data;
  std::string format = "auto";  ///< auto = as the training data
};

/// All options of the program; the tool writes into them while it parses.
struct SparseTrainOptions {
  SparseTrainOptions();
  TrainOptions train;
  TrainerOptions trainer;
  EvalOptions eval;
  PredictOptions predict;
};

/// The tool's commands, bound to `options`, which must outlive it.
Tool sparse_train_tool(SparseTrainOptions& options);

}  // namespace frugal
