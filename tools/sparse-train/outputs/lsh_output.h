#pragma once
#include <memory>

#include "tools/sparse-train/lsh/lsh_options.h"
#include "tools/sparse-train/outputs/output_layer.h"

namespace frugal::sparse {

/// SLIDE as published (Chen et al., MLSys 2020): each example computes its own labels, those that
/// share buckets of hash tables with its hidden units, and random ones up to a least number; the
/// loss is that over these outputs alone. `network` and `data` must outlive the layer.
std::unique_ptr<OutputLayer> make_lsh_output(Network& network, const Dataset& data,
                                             const OutputOptions& options, const LshOptions& lsh);

}  // namespace frugal::sparse
