#pragma once
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "libcore/base/hash_index.h"
#include "libcore/graph/csr.h"
#include "libcore/tensors/tensor_file.h"

namespace frugal::tgn {

/// The last label of each ordered pair of a source and a destination. Takes about 56 bytes a pair.
class PairLabels {
 public:
  /// last and time, of the last label, have no meaning if count is 0.
  struct Tally {
    float count = 0, last = 0;
    double time = 0;
  };

  Tally of(NodeId source, NodeId destination) const;
  /// Counts a label. Fails (unavailable) if memory lacks room for more pairs.
  void count(NodeId source, NodeId destination, float label, double time);
  std::size_t size() const { return times_.size(); }

  /// Tensors label_history.pairs, .pair_labels and .pair_times.
  void save(Document& document) const;
  /// Fails (bad_input) with `path` if they are missing. Their numbers may be impossible.
  void load(const Document& document, const std::string& path);
  /// True if no pair comes twice, all nodes are below `num_nodes`, and each last label, for which
  /// is_label(label) is true, came before `time`.
  template <class IsLabel>
  bool are_possible(std::size_t num_nodes, double time, const IsLabel& is_label) const {
    for (std::size_t i = 0; i < size(); ++i) {
      const bool good = ends_[2 * i] < num_nodes && ends_[2 * i + 1] < num_nodes &&
                        labels_[2 * i] >= 1 && std::isfinite(labels_[2 * i]) &&
                        is_label(labels_[2 * i + 1]) && times_[i] >= 0 && times_[i] < time;
      if (!good) return false;
    }
    return index_.size() == size();
  }

 private:
  HashIndex index_;
  std::vector<NodeId> ends_;   ///< [pairs, source, destination]
  std::vector<float> labels_;  ///< [pairs, number of labels, last label]
  std::vector<double> times_;  ///< [pairs] of last labels
};

}  // namespace frugal::tgn
