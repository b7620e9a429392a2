#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "libcore/tensors/tensor_file.h"
#include "tools/sparse-train/tree/label_tree.h"

namespace frugal::sparse {

/// Label trees that rank labels together. A label's probability is the mean over the trees; in each
/// tree, it is the product of exp(-max(0, 1 - margin)^2.5) along the path to the label. In a tree
/// of a single node the hinge is smoothed.
struct LabelForest {
  std::vector<LabelTree> trees;
  std::uint32_t num_features = 0;
  std::uint32_t num_labels = 0;
  std::uint32_t beam = 10;  ///< default number of nodes of a level that a search expands

  /// Adds tensors "tree.<number>.*" and metadata "tree.*" to a document.
  void save(Document& document) const;
  /// As save(), but releases each tree's memory before it copies the next one. bytes: rounds
  /// weights to bytes.
  void move_to(Document& document, bool bytes = false);
  /// Reads what save() stored. Fails (bad_input) with `path` for inconsistent content. fewest:
  /// required number of trees; 0: a training may not have grown one yet. Lent, rows of weights
  /// that are stored as bf16 stay in the document.
  static LabelForest load(const Document& document, const std::string& path,
                          std::uint32_t fewest = 1, Elements elements = Elements::copied);

  std::uint64_t num_bytes() const;

 private:
  void save_numbers(Document& document) const;
};

}  // namespace frugal::sparse
