#pragma once
#include <memory>
#include <string>

#include "tools/tgn-train/data/live_events.h"
#include "tools/tgn-train/serve/predict_options.h"
#include "tools/tgn-train/serve/prediction_labels.h"

namespace frugal::tgn {

/// Fails (usage) if options contradict each other.
void check_predict_options(const PredictOptions& options);
/// Fails (usage) with `path` if predict does not run the model's architecture.
void check_architecture(const TgnModelFile& stored, const std::string& path);
/// Makes the predictor of labels that --task asks for; null: links. stored: must outlive the
/// result. Fails (usage) if the model does not predict them, or if other options exclude it.
std::unique_ptr<PredictionLabels> predicted_labels(const PredictOptions& options,
                                                   TgnModelFile& stored);

/// Fails (bad_input) with `path` if nodes have other features than the model takes.
void check_node_features(const TgnModelFile& stored, const FeatureRows& rows,
                         const std::string& path);
/// Fails (bad_input) if the time of a first line is before the last event, which `past` has.
void check_first_time(const LiveEvents& events, const TextTime& time, const std::string& past);

}  // namespace frugal::tgn
