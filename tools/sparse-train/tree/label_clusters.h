#pragma once
#include <cstdint>

#include "tools/sparse-train/tree/label_features.h"
#include "tools/sparse-train/tree/label_tree.h"

namespace frugal::sparse {

struct ClusterOptions {
  std::uint32_t arity = 16;       ///< children of an inner node: half of it to twice as many
  std::uint32_t leaf_size = 100;  ///< most labels of a leaf
  std::uint32_t depth = 0;        ///< levels of inner nodes; 0 = as arity and leaf_size say
  /// More than 1: the root's children are so many clusters of any size, and theirs are leaves;
  /// arity and depth say nothing then.
  std::uint32_t root_clusters = 1;
  std::uint64_t seed = 0;
};

/// A tree over the labels that `carried` marks. Labels are split again and again by spherical
/// 2-means with halves of equal size (Prabhu et al., Parabel, WWW 2018, section 3.1), and several
/// splits make one level, so that inner nodes have more than two children (as Omikuji's "collapsed"
/// trees; Khandagale et al., Bonsai, Machine Learning 2020, find shallow trees more accurate), but
/// for the root's where k_means() is asked for. Differs from them: splits of very many labels are
/// fitted on a sample of them. The same for any number of threads.
TreeShape cluster_labels(const SparseRows& label_features, const std::vector<bool>& carried,
                         const ClusterOptions& options);

}  // namespace frugal::sparse
