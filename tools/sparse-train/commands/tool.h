#pragma once
#include <string>

#include "libcore/cli/tool.h"
#include "tools/sparse-train/model/export.h"
#include "tools/sparse-train/model/predict.h"
#include "tools/sparse-train/scoring/evaluation.h"
#include "tools/sparse-train/settings/train_fields.h"
#include "tools/sparse-train/text/featurizer.h"
#include "tools/sparse-train/text/training_data.h"
#include "tools/sparse-train/tune/tune.h"

namespace frugal::sparse {

/// `sparse-train convert`; `options` must outlive the command.
Command convert_command(ConvertOptions& options);

struct EvalOptions {
  std::string model;
  std::string data;
  FeatureOptions reading;  ///< what describe_input() and describe_reading() set
  std::vector<double> propensity = {0.55, 1.5};
  double threshold = -1;            ///< below 0: as `thresholds` say
  std::string thresholds = "auto";  ///< labels, global, first; auto = labels if there are some
  std::string weights = "none";     ///< ScoringOptions::weights
  std::string confusion;            ///< CSV files; "" = none
  std::string per_label;
};

struct InfoOptions {
  std::string model;
};

/// Options of the commands that read models.
struct ModelCommandOptions {
  EvalOptions eval;
  PredictOptions predict;
  InfoOptions info;
  ExportOptions exporting;
};

/// Commands bound to their options, which must outlive them.
Command eval_command(EvalOptions& options);
Command predict_command(PredictOptions& options);
Command info_command(InfoOptions& options);
Command export_command(ExportOptions& options);

struct TuneCommandOptions {
  TuneOptions tune;
};

/// The command bound to its options, which must outlive it.
Command tune_command(TuneCommandOptions& options);

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

/// The command bound to its options, which must outlive it.
Command train_command(SparseTrainOptions& options);

/// The tool's commands, bound to `options`, which must outlive it.
Tool sparse_train_tool(SparseTrainOptions& options);

}  // namespace frugal::sparse
