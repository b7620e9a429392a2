#pragma once
#include <string>

#include "libcore/io/tensor_file.h"
#include "tools/sparse-train/data/dataset.h"
#include "tools/sparse-train/network/network.h"

namespace frugal::sparse {

/// Adds all tables with the optimiser's state, whose numbers lie among the weights. Random numbers
/// are functions of (seed, step), so no more is needed to go on to the same bits. The tables are
/// lent: the document is good until the next step.
void save_training_state(const Network& network, Document& state);

/// Puts such tables into `network`. Fails (bad_input) naming `path` where tensors do not fit.
void restore_training_state(const Document& state, const std::string& path, Network& network);

}  // namespace frugal::sparse
