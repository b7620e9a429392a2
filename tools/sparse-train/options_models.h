#pragma once
#include <string>

#include "libcore/cli/tool.h"
#include "tools/sparse-train/data/featurizer.h"
#include "tools/sparse-train/evaluation.h"
#include "tools/sparse-train/export_model.h"
#include "tools/sparse-train/predict.h"

namespace frugal::sparse {

struct EvalOptions {
  std::string model;
  std::string data;
  std::string format = "auto";  ///< auto = as the training data
  FeatureOptions reading;       ///< what describe_reading() sets
  PropensityConstants propensity;
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

/// P@k and the other figures as a command's JSON result has them.
void add_evaluation(const Evaluation& evaluation, nlohmann::ordered_json& json,
                    const std::string& before = "");

/// Commands bound to their options, which must outlive them.
Command eval_command(EvalOptions& options);
Command predict_command(PredictOptions& options);
Command info_command(InfoOptions& options);
Command export_command(ExportOptions& options);

}  // namespace frugal::sparse
