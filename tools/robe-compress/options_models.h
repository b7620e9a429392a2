#pragma once
#include <nlohmann/json_fwd.hpp>

#include "libcore/cli/tool.h"
#include "tools/robe-compress/evaluate.h"
#include "tools/robe-compress/predict.h"

namespace frugal::robe {

/// Options of the commands that use a trained model.
struct ModelCommandOptions {
  EvalOptions eval;
  ClickPredictOptions predict;
};

void add_metrics(const BinaryMetrics& metrics, nlohmann::ordered_json& json,
                 const std::string& before = "");

Command eval_command(EvalOptions& options);
Command predict_command(ClickPredictOptions& options);

}  // namespace frugal::robe
