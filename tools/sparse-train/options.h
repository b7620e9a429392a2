#pragma once
#include <string>

#include "libcore/cli/tool.h"
#include "tools/sparse-train/data/training_data.h"
#include "tools/sparse-train/options_models.h"
#include "tools/sparse-train/options_tune.h"
#include "tools/sparse-train/train_fields.h"

namespace frugal::sparse {

/// All options of the program; the tool writes into them while it parses.
struct SparseTrainOptions {
  TrainOptions train = undecided_options();
  TrainerOptions trainer;
  ModelCommandOptions models;
  TuneCommandOptions tune;
  ConvertOptions convert;

  SparseTrainOptions() {
    convert.features = train.features;
    tune.tune.train = train;
  }
};

/// The tool's commands, bound to `options`, which must outlive it.
Tool sparse_train_tool(SparseTrainOptions& options);

}  // namespace frugal::sparse
