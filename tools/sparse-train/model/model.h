#pragma once
#include <memory>
#include <optional>
#include <string>

#include "libcore/tensors/mapped_document.h"
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

/// A trained model: the conversion of inputs to features, and the scorers of labels.
struct Model {
  Featurizer featurizer;
  LabelCounts label_counts;
  bool normalize = true;  ///< scale each example's features to length 1
  std::optional<Decisions> decisions;
  // At least one of these is set:
  std::optional<Network> network;
  std::optional<LabelForest> forest;
  /// Owner of the elements that a model of open_model() borrows.
  std::shared_ptr<const OpenDocument> source = nullptr;
};

/// Adds the model to a document: metadata "model.version", "model.parts" (their names, separated by
/// commas), "model.examples", "model.normalize", tensor "labels.count" [labels], and what
/// Featurizer::save(), Decisions::save() and the parts add. Takes the model: each part's memory is
/// given back as soon as it is copied.
void save_model(Model&& model, Document& document, StoredWeights stored = StoredWeights::f32);

/// Hash of a model's content, without its time of creation.
std::string fingerprint(const Document& model);

/// Reads a model of this or an older version. Fails (bad_input) with `path` and the reason: not a
/// model of this tool, a newer version, or tensors that do not fit together.
Model load_model(const std::string& path);
/// As above, for a document that was read from `path`.
Model load_model(const Document& document, const std::string& path);

/// As load_model(), to score a few examples at once: most weights stay in the mapped file, where
/// they are read and checked when they are used. The model is for RecordFeaturizer and for scorers
/// alone; call check_used() before these score.
Model open_model(const std::string& path);
/// Fails (bad_input) with `path` if the examples of an opened model use a number that is not
/// finite.
void check_used(const Model& model, const Dataset& data, const std::string& path);
/// Prepares an opened model for many examples: checks all of it, and copies label trees, whose rows
/// are then found by a directory. Scorers of the model must be made again.
void prepare_for_many(Model& model, const std::string& path);

struct ScoringOptions {
  std::size_t top_k = 1;
  /// Scores single examples faster: the same ranking, with softmax probabilities within 1 %
  /// (network/quick_predictor.h).
  bool quick = false;
  /// weights of labels in the ranking, label_worths(); scores do not change
  std::string weights = "none";
  PropensityConstants propensity = {};  ///< constants for weights
  ScorerPlace place = {};               ///< where a network runs
};

/// Scorer with all parts of the model, which must outlive it: network or forest alone, or both
/// (HybridScorer). Scores are calibrated if the model has decisions. Fails (unavailable) if a
/// device is asked for by name and cannot do it.
std::unique_ptr<Scorer> make_scorer(const Model& model, const ScoringOptions& options);
/// As above, for parts, one of which may be null, and the label counts of their training data.
std::unique_ptr<Scorer> make_scorer(const Network* network, const LabelForest* forest,
                                    const LabelCounts& training, const ScoringOptions& options);

}  // namespace frugal::sparse
