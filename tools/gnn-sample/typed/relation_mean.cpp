#include "tools/gnn-sample/typed/relation_mean.h"

#include <utility>

#include "libcore/kernels/kernels.h"
#include "libcore/nn/row_store.h"
#include "tools/gnn-sample/layers/row_chunks.h"

namespace frugal::gnn {
namespace {

/// Working rows for the means of a chunk; Shortcut uses others.
constexpr std::size_t kMeansSlot = 1;
/// Multiplications that take as long as reading a number of another row.
constexpr double kProductsPerRead = 8;

/// True if the product of all sources' rows with the weights, before the means, is less work than
/// the product of the means.
bool multiplies_first(const SourceRows& rows, const Block& block, std::size_t out) {
  if (rows.sparse()) return gains_by_products_first(rows, block, out);
  const double products = static_cast<double>(rows.dim() * out) / kProductsPerRead;
  const double edges = block.num_edges();
  return block.sources * products + edges * static_cast<double>(out) <
         block.targets * products + edges * static_cast<double>(rows.dim());
}

/// Divides the rows of targets from `begin` on by their numbers of neighbours. Rows of weighted
/// means are multiplied edge by edge instead.
void divide_by_degrees(const Block& block, std::size_t begin, MatrixView<float> rows) {
  if (block.weights != nullptr) return;
  for (std::size_t r = 0; r < rows.rows; ++r) {
    const std::uint32_t degree = block.degree(static_cast<std::uint32_t>(begin + r));
    if (degree > 1) kernels().scale(1.0F / static_cast<float>(degree), rows.row(r), rows.cols);
  }
}

}  // namespace

struct RelationMean::Room : RelationRoom {
  bool products_first = false;
  RowStore rows;       ///< [targets of edges, in] means of neighbours or, if products are made
                       ///< first, [sources, out] the products
  RowStore gradients;  ///< of the same
  RowStore shares;     ///< [targets of edges, out] gradients of outputs, with products first
                       ///< divided by the number of neighbours
  std::vector<float> edge_shares;  ///< weight of each edge divided by the sum of its target's
  TransposedBlock transposed;
  SparseColumns columns;

  const float* weights() const { return edge_shares.empty() ? nullptr : edge_shares.data(); }
};

std::unique_ptr<RelationRoom> RelationMean::make_room() const { return std::make_unique<Room>(); }

void RelationMean::forward(const RelationInput& input, RelationRoom& room,
                           MatrixView<float> sums) const {
  auto& r = static_cast<Room&>(room);
  const SourceRows& rows = input.sources;
  const Block& block = input.edges->block();
  r.products_first = multiplies_first(rows, block, out_);
  r.edge_shares.resize(block.weights == nullptr ? 0 : block.num_edges());
  if (r.products_first) {
    r.rows.resize(block.sources, out_);
    for_each_chunk(block.sources, [&](std::size_t begin, std::size_t end) {
      map_.forward(rows, begin, r.rows.view().rows_between(begin, end), 0);
    });
  } else if (input.pass.training) {
    r.rows.resize(block.targets, in_);
  }
  for_each_chunk(block.targets, [&](std::size_t begin, std::size_t end) {
    const MatrixView<float> messages = working_rows(end - begin, out_);
    const SourceRows::Weighing weighing = mean_weighing(block, begin, end, r.edge_shares);
    if (r.products_first) {
      SourceRows(std::as_const(r.rows).view()).aggregate(block, begin, end, weighing, messages);
    } else {
      const MatrixView<float> means = input.pass.training
                                          ? r.rows.view().rows_between(begin, end)
                                          : working_rows(end - begin, in_, kMeansSlot);
      rows.aggregate(block, begin, end, weighing, means);
      map_.forward(SourceRows(means), 0, messages, 0);
    }
    add_rows(*input.edges, begin, messages, sums);
  });
}

void RelationMean::prepare_backward(const RelationInput& input, RelationRoom& room) const {
  auto& r = static_cast<Room&>(room);
  if (r.products_first || input.wants_source_gradient) r.transposed.assign(input.edges->block());
}

void RelationMean::backward(const RelationInput& input, RelationRoom& room,
                            MatrixView<const float> gradient) {
  auto& r = static_cast<Room&>(room);
  const Block& block = input.edges->block();
  r.shares.resize(block.targets, out_);
  for_each_chunk(block.targets, [&](std::size_t begin, std::size_t end) {
    const MatrixView<float> rows = r.shares.view().rows_between(begin, end);
    take_rows(*input.edges, begin, gradient, rows);
    if (r.products_first) divide_by_degrees(block, begin, rows);
  });
  const MatrixView<const float> shares = std::as_const(r.shares).view();
  if (!r.products_first) {
    map_.backward(SourceRows(std::as_const(r.rows).view()), shares, r.columns);
    if (!input.wants_source_gradient) return;
    r.gradients.resize(block.targets, in_);
    for_each_chunk(block.targets, [&](std::size_t begin, std::size_t end) {
      const MatrixView<float> rows = r.gradients.view().rows_between(begin, end);
      set_zero(rows);
      map_.add_input_gradient(shares.rows_between(begin, end), rows);
      divide_by_degrees(block, begin, rows);
    });
    return;
  }
  r.gradients.resize(block.sources, out_);
  for_each_chunk(block.sources, [&](std::size_t begin, std::size_t end) {
    const MatrixView<float> rows = r.gradients.view().rows_between(begin, end);
    set_zero(rows);
    add_transposed(r.transposed, begin, end, shares, rows, r.weights());
  });
  map_.backward(input.sources, std::as_const(r.gradients).view(), r.columns);
}

void RelationMean::add_source_gradient(const RelationRoom& room, std::size_t begin, std::size_t end,
                                       MatrixView<float> rows) const {
  const auto& r = static_cast<const Room&>(room);
  if (r.products_first) {
    map_.add_input_gradient(r.gradients.view().rows_between(begin, end), rows);
  } else {
    add_transposed(r.transposed, begin, end, r.gradients.view(), rows, r.weights());
  }
}

}  // namespace frugal::gnn
