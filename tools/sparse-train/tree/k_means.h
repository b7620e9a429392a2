#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "libcore/base/rng.h"
#include "tools/sparse-train/tree/label_features.h"

namespace frugal::sparse {

/// Spherical k-means of some `labels` with clusters of any size (as Khandagale et al., Bonsai,
/// Machine Learning 2020, section 3.2, cluster labels): the cluster of each, below `clusters`; some
/// may stay empty. Starts from labels drawn at random. Uses all threads, the same for any number.
std::vector<std::uint32_t> k_means(const SparseRows& label_features,
                                   std::span<const std::uint32_t> labels, std::uint32_t clusters,
                                   Rng rng);

}  // namespace frugal::sparse
