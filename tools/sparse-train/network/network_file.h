#pragma once
#include <string>

#include "libcore/tensors/tensor_file.h"
#include "tools/sparse-train/data/dataset.h"
#include "tools/sparse-train/network/network.h"

namespace frugal::sparse {

/// Adds all tables with the optimiser's state, whose numbers lie among the weights. Random numbers
/// are functions of (seed, step), so no more is needed to go on to the same bits. The tables are
/// lent: the document is good until the next step.
void save_training_state(const Network& network, Document& state);

/// Puts such tables into `network`; those of all labels also where it has the rows of some alone.
/// Fails (bad_input) naming `path` where tensors do not fit.
void restore_training_state(const Document& state, const std::string& path, Network& network);

/// How the weights of features and labels are stored: as they are, or rounded to bytes with a scale
/// for each row, a bf16 beside them ("features.scale", "labels.scale").
/// Labels that a network keeps as bf16 are stored as bf16, and loaded as f32.
enum class StoredWeights { f32, int8 };

/// Adds a network to a model's document: tensors "features.weight" [features, hidden],
/// "labels.weight" [labels, hidden], "labels.bias" [labels, 1], and metadata "model.*".
void save_network(const Network& network, Document& document,
                  StoredWeights stored = StoredWeights::f32);

/// Fails (bad_input) with `path` and what is missing or does not fit together. Lent, the rows of
/// features stay in the document if they are stored as f32.
Network load_network(const Document& document, const std::string& path,
                     Elements elements = Elements::copied);

}  // namespace frugal::sparse
