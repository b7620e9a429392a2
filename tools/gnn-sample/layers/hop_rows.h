#pragma once
#include <cstddef>

#include "libcore/base/view.h"
#include "tools/gnn-sample/data/sparse_rows.h"
#include "tools/gnn-sample/layers/source_rows.h"

// Rows that consist of the features of hops side by side, which attention over hops takes apart.
namespace frugal::gnn {

/// Columns [first, first + count) of rows.
template <class T>
MatrixView<T> columns_between(MatrixView<T> rows, std::size_t first, std::size_t count) {
  return {rows.data + first, rows.rows, count, rows.stride};
}

/// Divides sparse rows of sources [0, n), whose columns ascend, on all threads: row s * parts + k
/// of `to` is part k of source s. Values are f32. Vectors of `to` grow to exactly the size that
/// they need.
void split_hops(const SourceRows& rows, std::size_t n, std::size_t parts, SparseRows& to);

}  // namespace frugal::gnn
