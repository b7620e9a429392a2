#pragma once
#include <string>

#include "libcore/io/tensor_file.h"
#include "tools/sparse-train/data/featurizer.h"
#include "tools/sparse-train/evaluation.h"
#include "tools/sparse-train/network/network.h"

namespace frugal {

/// How a network is stored: tensors "features.weight" [features, hidden], "labels.weight" [labels,
/// hidden], "labels.bias" [labels, 1], and metadata "model.*".
void save_network(const Network& network, Document& document);

/// Tensor "labels.count" [labels] and metadata "model.examples".
void save_label_counts(const LabelCounts& counts, Document& document);

/// A model read back: all that eval and predict need.
struct Model {
  Network network;
  Featurizer featurizer;
  LabelCounts label_counts;
  bool normalize = true;  ///< scale each example's features to length 1
};

/// Fails (bad_input) naming `path` and what is wrong: not a model of this tool, another version,
/// tensors that do not fit together.
Model load_model(const std::string& path);

}  // namespace frugal
