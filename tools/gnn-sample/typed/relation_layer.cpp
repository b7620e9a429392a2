#include "tools/gnn-sample/typed/relation_layer.h"

#include <span>

#include "libcore/kernels/kernels.h"

namespace frugal::gnn {

void RelationLayer::add_rows(const UsedEdges& edges, std::size_t begin,
                             MatrixView<const float> rows, MatrixView<float> sums) {
  for (std::size_t r = 0; r < rows.rows; ++r) {
    kernels().axpy(1, rows.row(r), sums.row(edges.targets()[begin + r]), rows.cols);
  }
}

void RelationLayer::take_rows(const UsedEdges& edges, std::size_t begin,
                              MatrixView<const float> all, MatrixView<float> out) {
  SourceRows(all).gather(std::span(edges.targets()).subspan(begin, out.rows), out);
}

}  // namespace frugal::gnn
