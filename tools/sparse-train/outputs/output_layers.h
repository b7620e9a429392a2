#pragma once
#include <memory>

#include "tools/sparse-train/outputs/blocked_output.h"
#include "tools/sparse-train/outputs/candidate_source.h"
#include "tools/sparse-train/outputs/output_layer.h"

namespace frugal::sparse {

/// Every label for every example. `network` and `data` must outlive the layer.
std::unique_ptr<OutputLayer> make_dense_output(Network& network, const Dataset& data,
                                               const OutputOptions& options);
/// One active set for all examples of a batch (active_set.h): dense products on gathered rows.
/// `hard` (it must outlive the layer; null: none) gives each example outputs that are hard to tell
/// from its own, besides the labels of the batch and those drawn uniformly.
std::unique_ptr<OutputLayer> make_shared_output(Network& network, const Dataset& data,
                                                const OutputOptions& options,
                                                CandidateSource* hard = nullptr);
/// Makes a shared output that owns its source of hard labels.
std::unique_ptr<OutputLayer> make_shared_output(Network& network, const Dataset& data,
                                                const OutputOptions& options,
                                                std::unique_ptr<CandidateSource> hard);

/// make_dense_output() of some labels, which `network` has the rows of: one of options.shards
/// parts.
std::unique_ptr<BlockedOutput> make_dense_part(Network& network, const Dataset& data,
                                               const OutputOptions& options, LabelRange labels);

}  // namespace frugal::sparse
