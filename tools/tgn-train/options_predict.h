#pragma once
#include "libcore/cli/tool.h"
#include "tools/tgn-train/predict.h"

namespace frugal::tgn {

Command predict_command(PredictOptions& options);

}  // namespace frugal::tgn
