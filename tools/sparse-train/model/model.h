#pragma once
#include <memory>
#include <optional>
#include <string>

#include "libcore/tensors/tensor_file.h"
#include "tools/sparse-train/network/device_scorer.h"
#include "tools/sparse-train/network/network.h"
#include "tools/sparse-train/network/network_file.h"
#include "tools/sparse-train/scoring/decisions.h"
#include "tools/sparse-train/scoring/evaluation.h"
#include "tools/sparse-train/scoring/scorer.h"
#include "tools/sparse-train/text/featurizer.h"
#include "tools/sparse-train/tree/label_forest.h"

namespace frugal::sparse {

/// All that eval and predict need: how inputs become features, and what ranks the labels.
struct Model {
  Featurizer featurizer;
  LabelCounts label_counts;
  bool normalize = true;  ///< scale each example's features to length 1
  std::optional<Decisions> decisions;
  // At least one of:
  std::optional<Network> network;
  std::optional<LabelForest> forest;
};

/// Adds the model to a document: metadata "model.version", "model.parts" (their names, separated by
/// commas), "model.examples", "model.normalize", tensor "labels.count" [labels], and what
/// Featurizer::save(), Decisions::save() and the parts add. Takes the model: each part's memory is
/// given back as soon as it is copied.
void save_model(Model&& model, Document& document, StoredWeights stored = StoredWeights::f32);

/// Tells what models know apart, not when they were made.
std::string fingerprint(const Document& model);

/// Fails (bad_input) naming `path` and what is wrong: not a model of this tool, a newer version,
/// tensors that do not fit together. Models of all older versions are read.
Model load_model(const std::string& path);
/// The same for a document that was read from `path`.
Model load_model(const Document& document, const std::string& path);

struct ScoringOptions {
  std::size_t top_k = 1;
  /// Answer single examples fast: the same ranking, softmax probabilities within 1 %
  /// (network/quick_predictor.h).
  bool quick = false;
  std::string weights = "none";  ///< of labels, label_worths(); their scores stay as they are
  PropensityConstants propensity = {};  ///< for weights
  ScorerPlace place = {};               ///< where a network answers
};

/// What ranks labels with all parts of the model, which must outlive it: network or forest alone,
/// or both (hybrid_scorer.h). Scores are calibrated where the model has decisions. Fails
/// (unavailable) where a device is asked for by name and cannot do it.
std::unique_ptr<Scorer> make_scorer(const Model& model, const ScoringOptions& options);
/// The same for parts, each of which may be null, but not both, and the labels they were trained
/// on.
std::unique_ptr<Scorer> make_scorer(const Network* network, const LabelForest* forest,
                                    const LabelCounts& training, const ScoringOptions& options);

}  // namespace frugal::sparse
