#pragma once
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "libcore/train/training_run.h"
#include "tools/sparse-train/fit/calibrate.h"
#include "tools/sparse-train/fit/plan.h"
#include "tools/sparse-train/outputs/output_layer.h"
#include "tools/sparse-train/scoring/evaluation.h"

namespace frugal::sparse {

struct TextChoice;
struct TextTrial;

/// Where a training run tells what it does. Functions may be empty.
struct TrainObserver {
  RunLog* log = nullptr;
  std::function<void(const TextTrial&)> tried;
  std::function<void(const Plan&, const DataFacts&)> planned;
  std::function<void(double epochs_done, const std::string& note)> progress;
  std::function<void(double epochs_done, const Evaluation&)> validated;
};

/// fit_seconds: of trees and network.
struct TrainResult : RunFigures {
  DataFacts facts;
  Plan plan;
  double epochs_done = 0;                    ///< of the network, the last one perhaps in part
  std::size_t trees = 0;                     ///< grown
  bool cut_short = false;                    ///< by the time budget
  bool search_cut_short = false;             ///< the search of settings for text among what was
  double mean_active = 0;                    ///< outputs computed for a batch, mean of the same
  std::shared_ptr<const TextChoice> search;  ///< what was tried for text; null where nothing was
  std::string search_skipped;                ///< why none chose anything for text; "" = no reason
  double search_seconds = 0;
  bool stopped_in_search = false;  ///< by a signal
  double read_seconds = 0;         ///< reading the data
  double write_seconds = 0;        ///< writing the model
  double calibration_seconds = 0;
  std::optional<CalibrationResult> calibration;
  OutputFigures output;                  ///< of the output layer, after the last epoch
  std::optional<Evaluation> validation;  ///< of the model that is written
};

}  // namespace frugal::sparse
