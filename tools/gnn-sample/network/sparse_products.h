#pragma once
#include <cstdint>
#include <vector>

#include "libcore/base/view.h"
#include "libcore/nn/weights.h"
#include "tools/gnn-sample/network/row_chunks.h"
#include "tools/gnn-sample/network/source_rows.h"

// Products of sparse rows X, of a layer that reads features, with its weights: each number that is
// stored adds its row of W.
namespace frugal::gnn {

/// Whether it is less work to multiply the rows of all sources before they are added up over
/// neighbours than to add up whole rows and multiply the targets'. Never where rows are not sparse.
bool gains_by_products_first(const SourceRows& rows, const Block& block, std::size_t outputs);

/// out = the rows of sources [begin, end) times W, on the calling thread.
void multiply_sparse(const SourceRows& rows, std::size_t begin, std::size_t end,
                     MatrixView<const float> weights, MatrixView<float> out);
/// The same of sources [0, n) on all threads.
void multiply_sparse(const SourceRows& rows, std::size_t n, MatrixView<const float> weights,
                     RowStore& out);

/// The same of rows that may be sparse or not, by products of the weights' precision where not.
void multiply_rows(const SourceRows& rows, std::size_t begin, std::size_t end,
                   const Weights& weights, MatrixView<float> out, std::size_t slot = 0);

/// X by columns, for the gradient of W: each of its rows is one thread's, so groups of sums
/// (Weights::gradient()) are not needed. Keeps its memory.
class SparseColumns {
 public:
  /// Of the rows of sources [0, n), on all threads.
  void assign(const SourceRows& rows, std::size_t n);
  /// dw += X^T dy, on all threads. Rows of X behind those of dy are left out.
  void add_products(MatrixView<const float> dy, MatrixView<float> dw) const;

 private:
  std::vector<std::uint64_t> offsets_;  ///< [dim + 1]
  std::vector<std::uint32_t> rows_;     ///< ascending in each column
  std::vector<float> values_;           ///< none where all are 1
  std::vector<std::uint64_t> places_;   ///< [pieces, dim] while rows are sorted
};

}  // namespace frugal::gnn
