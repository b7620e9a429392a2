#pragma once
#include <string>

#include "libcore/io/tensor_file.h"
#include "tools/sparse-train/network/network.h"

namespace frugal {

/// Adds a network to a model's document: tensors "features.weight" [features, hidden],
/// "labels.weight" [labels, hidden], "labels.bias" [labels, 1], and metadata "model.*".
void save_network(const Network& network, Document& document);

/// Fails (bad_input) with `path` and what is missing or does not fit together.
Network load_network(const Document& document, const std::string& path);

}  // namespace frugal
