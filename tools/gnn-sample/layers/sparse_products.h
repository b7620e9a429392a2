#pragma once
#include <cstdint>
#include <vector>

#include "libcore/base/view.h"
#include "libcore/nn/weights.h"
#include "tools/gnn-sample/layers/row_chunks.h"
#include "tools/gnn-sample/layers/source_rows.h"

// Products of sparse feature rows X with a layer's weights W: each stored number adds a row of W.
namespace frugal::gnn {

/// True if multiplying the rows of all sources before the sums over neighbours is less work than
/// multiplying the sums. Always false for rows that are not sparse.
bool gains_by_products_first(const SourceRows& rows, const Block& block, std::size_t outputs);

/// Computes out = rows of sources [begin, end) times W + beta out, on the calling thread. beta: 0
/// or 1.
void multiply_sparse(const SourceRows& rows, std::size_t begin, std::size_t end,
                     MatrixView<const float> weights, MatrixView<float> out, float beta = 0);
/// As above, for sources [0, n), on all threads.
void multiply_sparse(const SourceRows& rows, std::size_t n, MatrixView<const float> weights,
                     RowStore& out);

/// As multiply_sparse(), for rows that may be dense: those of as many sources as `out` has rows.
/// Dense products have the precision of the weights.
void multiply_rows(const SourceRows& rows, std::size_t begin, const Weights& weights,
                   MatrixView<float> out, std::size_t slot = 0, float beta = 0);

/// X in column order, for the gradient of W. One thread computes each row of the gradient, so no
/// groups of sums (Weights::gradient()) are needed. Reuses its memory.
class SparseColumns {
 public:
  /// Sets X to the rows of sources [0, n), on all threads.
  void assign(const SourceRows& rows, std::size_t n);
  /// Adds X^T dy to dw, on all threads. Ignores rows of X beyond those of dy.
  void add_products(MatrixView<const float> dy, MatrixView<float> dw) const;

 private:
  std::vector<std::uint64_t> offsets_;  ///< [dim + 1]
  std::vector<std::uint32_t> rows_;     ///< ascending in each column
  std::vector<float> values_;           ///< empty if all are 1
  std::vector<std::uint64_t> places_;   ///< [pieces, dim] while rows are sorted
};

}  // namespace frugal::gnn
