#pragma once
#include "tools/sparse-train/options_features.h"
#include "tools/sparse-train/train.h"

namespace CLI {
class App;
}

namespace frugal::sparse {

/// The network and its training.
void add_network_options(CLI::App& app, TrainOptions& options);
/// The hash tables of --output lsh.
void add_lsh_options(CLI::App& app, LshSettings& settings);
/// The label trees of --output tree and hybrid.
void add_tree_options(CLI::App& app, TrainSettings& settings);

}  // namespace frugal::sparse
