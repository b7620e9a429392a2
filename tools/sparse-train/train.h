#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "libcore/kernels/gemm.h"
#include "libcore/train/training_run.h"
#include "tools/sparse-train/calibrate.h"
#include "tools/sparse-train/data/featurizer.h"
#include "tools/sparse-train/evaluation.h"
#include "tools/sparse-train/model.h"
#include "tools/sparse-train/network/output_layer.h"
#include "tools/sparse-train/planner.h"

namespace frugal::sparse {

/// Everything that `sparse-train train` is told.
struct TrainOptions : TrainerSettings {
  std::string data;
  std::string model;
  std::string validation;  ///< labelled data to evaluate after each epoch; "" = none
  int patience = 0;  ///< epochs without a better validation before the end; 0 = validation is only
                     ///< reported
  FeatureOptions features;
  TrainSettings settings;
  bool normalize = true;             ///< scale each example's features to length 1
  bool keep_names = false;           ///< store what each feature stands for in the model
  std::string cache;                 ///< DataRequest::cache
  std::string init;                  ///< model to go on from; "" = none
  std::string calibration = "none";  ///< held-out: calibrate(); none; auto = by the data
  Precision precision = Precision::f32;
  /// F1 of validation: with thresholds fitted to its other half, where there are several labels.
  bool fitted_f1 = false;
  bool search = true;  ///< choose what is left to the data for text (text_search.h)
};

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
  double read_seconds = 0;   ///< reading the data
  double write_seconds = 0;  ///< writing the model
  double calibration_seconds = 0;
  std::optional<CalibrationResult> calibration;
  OutputFigures output;                  ///< of the output layer, after the last epoch
  std::optional<Evaluation> validation;  ///< of the model that is written
};

/// Reads the data, trains, writes the model.
TrainResult train(const TrainOptions& options, const TrainObserver& observer);

/// What a training begins with: its data, and the model that it goes on from.
struct TrainingInput {
  /// --init; without its featurizer, which goes on in `featurizer`.
  std::optional<Model> initial;
  std::string initial_fingerprint;  ///< "" without --init
  std::optional<Featurizer> featurizer;
  bool normalize = true;
  Dataset data;
  Dataset validation;
  LabelCounts label_counts;  ///< of the data and of what the model knows
};

/// Reads all of it. Fails (bad_input) where there are no labels or no features. watched: say what
/// looks wrong with the data; not in a trial of many.
TrainingInput read_training_input(const TrainOptions& options, bool watched);

}  // namespace frugal::sparse
