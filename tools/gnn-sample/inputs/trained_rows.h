#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "libcore/base/view.h"
#include "libcore/graph/csr.h"
#include "libcore/nn/optimizer.h"
#include "libcore/nn/row_table.h"
#include "libcore/tensors/tensor_file.h"

namespace frugal::gnn {

/// Prefix of the tensors in a model file that belong to an embedding.
inline constexpr char kInputPrefix[] = "input.";
/// Tensor of the embedding, [nodes, size], after a prefix.
inline constexpr char kEmbeddingTensor[] = "embedding";

/// A trained row of numbers for each node of a graph. A step changes only the rows of nodes in its
/// mini-batch. The current rows also lie in columns of the input rows, where networks read them.
class TrainedRows {
 public:
  /// Draws initial rows uniformly with standard deviation 0.3 / sqrt(columns). columns: [nodes,
  /// size], which must stay in place and are written. prefix: of its tensors in files.
  TrainedRows(MatrixView<float> columns, std::uint64_t seed, std::string prefix = kInputPrefix);

  std::size_t size() const { return columns_.cols; }
  std::size_t num_parameters() const { return columns_.rows * columns_.cols; }
  void prepare_training(const OptimizerOptions& optimizer);
  /// Makes an optimiser step of the rows of `nodes`, on all threads. Row s of gradients, [nodes,
  /// size], is by the row of nodes[s]; those of repeated nodes are added up, in place.
  void step(std::span<const NodeId> nodes, MatrixView<float> gradients, float rate);

  /// Saves or loads the rows. Loading fails (bad_input) with `path` for another shape.
  void save(Document& document) const;
  void load(const Document& document, const std::string& path);
  /// Saves or loads the optimiser's state; requires prepare_training().
  void save_state(Document& document) const;
  void load_state(const Document& document, const std::string& path);

 private:
  std::string tensor_name() const { return prefix_ + kEmbeddingTensor; }
  std::string state_name() const { return "optimizer." + tensor_name(); }
  Shape shape() const { return {columns_.rows, columns_.cols}; }

  MatrixView<float> columns_;
  std::string prefix_;
  OptimizerOptions optimizer_;
  RowTable table_;  ///< the rows and the optimiser's state, once training is prepared
  std::uint64_t steps_ = 0;
  std::vector<std::uint32_t> first_;    ///< where each node was first in some mini-batch
  std::vector<std::uint8_t> repeated_;  ///< 1 for sources of a mini-batch whose node came before
};

}  // namespace frugal::gnn
