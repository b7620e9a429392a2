#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "libcore/tensors/tensor_file.h"
#include "tools/sparse-train/tree/label_tree.h"

namespace frugal::sparse {

/// Label trees that rank together: a label's probability is the mean over the trees, in each the
/// product of exp(-max(0, 1 - margin)^2.5) along the way to the label; in a tree of one node alone
/// the hinge is rounded off.
struct LabelForest {
  std::vector<LabelTree> trees;
  std::uint32_t num_features = 0;
  std::uint32_t num_labels = 0;
  std::uint32_t beam = 10;  ///< nodes of a level that a search goes on from, unless it is told

  /// Adds tensors "tree.<number>.*" and metadata "tree.*" to a document.
  void save(Document& document) const;
  /// The same, and gives back the memory of each tree before it copies the next. bytes: weights
  /// are rounded to bytes.
  void move_to(Document& document, bool bytes = false);
  /// What save() stored. Fails (bad_input) naming `path` for whatever does not fit together.
  /// fewest: number of trees that there must be; 0: a training may not have grown one yet.
  static LabelForest load(const Document& document, const std::string& path,
                          std::uint32_t fewest = 1);

  std::uint64_t num_bytes() const;

 private:
  void save_numbers(Document& document) const;
};

}  // namespace frugal::sparse
