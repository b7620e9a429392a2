#include "tools/gnn-sample/layers/sparse_products.h"

#include <algorithm>
#include <utility>

#include "libcore/kernels/kernels.h"
#include "libcore/threading/parallel.h"
#include "tools/gnn-sample/layers/row_chunks.h"

namespace frugal::gnn {
namespace {

// Work in gathered floats, 0.13 ns each in both directions where it was measured (16 to 256
// outputs, share of numbers that are not 0 between 0.01 and 0.35, AVX-512):
constexpr double kNumberWork = 30;           ///< of a number itself: sorting it by its column
constexpr double kEdgeFloatWork = 0.5;       ///< of a float of an output row added over an edge
constexpr double kDenseFloatWork = 1.0 / 6;  ///< of a multiplication in a dense product
constexpr double kAddedWork = 4;             ///< of a number added to a sum of whole rows
/// That a thread sorts at least: waking it costs as much as a few thousand.
constexpr std::size_t kNumbersAtATime = std::size_t{1} << 15;
constexpr std::size_t kColumnsAtATime = 64;

}  // namespace

bool gains_by_products_first(const SourceRows& rows, const Block& block, std::size_t outputs) {
  if (!rows.sparse()) return false;
  const auto width = static_cast<double>(outputs);
  const auto numbers = static_cast<double>(rows.stored_numbers(block.sources));
  const auto edges = static_cast<double>(block.num_edges());
  const double products = numbers * (kNumberWork + width) + edges * width * kEdgeFloatWork;
  const double added = numbers * (edges + block.targets) / std::max(1U, block.sources);
  const double whole = static_cast<double>(block.targets) * static_cast<double>(rows.dim()) * width;
  return products <= whole * kDenseFloatWork + added * kAddedWork;
}

void multiply_sparse(const SourceRows& rows, std::size_t begin, std::size_t end,
                     MatrixView<const float> weights, MatrixView<float> out, float beta) {
  rows.for_each_sparse(
      begin, end, [&](std::size_t s, std::span<const std::uint32_t> columns, const float* values) {
        float* const row = out.row(s - begin);
        if (beta == 0) std::fill_n(row, out.cols, 0.0F);
        kernels().gather_sum(weights.data, weights.stride, out.cols, columns.data(), values,
                             columns.size(), row);
      });
}

void multiply_sparse(const SourceRows& rows, std::size_t n, MatrixView<const float> weights,
                     RowStore& out) {
  out.resize(n, weights.cols);
  for_each_chunk(n, [&](std::size_t begin, std::size_t end) {
    multiply_sparse(rows, begin, end, weights, out.view().rows_between(begin, end));
  });
}

void multiply_rows(const SourceRows& rows, std::size_t begin, const Weights& weights,
                   MatrixView<float> out, std::size_t slot, float beta) {
  const std::size_t end = begin + out.rows;
  if (rows.sparse()) return multiply_sparse(rows, begin, end, weights.values(), out, beta);
  const MatrixView<float> x = working_rows(end - begin, weights.in(), slot);
  rows.copy(begin, end, x);
  weights.multiply(x, out, beta);
}

/// A counting sort: each piece of the rows has its place in every column behind those of the pieces
/// before, so rows ascend for any number of pieces.
void SparseColumns::assign(const SourceRows& rows, std::size_t n) {
  const std::size_t dim = rows.dim(), size = rows.stored_numbers(n);
  const std::size_t pieces =
      std::clamp<std::size_t>(size / kNumbersAtATime, 1, static_cast<std::size_t>(num_threads()));
  const auto for_each_number = [&](const auto& body) {
    parallel_for(pieces, 1, [&](std::size_t p) {
      std::uint64_t* const places = places_.data() + p * dim;
      rows.for_each_sparse(
          n * p / pieces, n * (p + 1) / pieces,
          [&](std::size_t s, std::span<const std::uint32_t> columns, const float* values) {
            for (std::size_t i = 0; i < columns.size(); ++i) {
              body(places[columns[i]], s, values == nullptr ? 1 : values[i]);
            }
          });
    });
  };
  places_.assign(pieces * dim, 0);
  for_each_number([](std::uint64_t& count, std::size_t, float) { ++count; });
  offsets_.resize(dim + 1);
  std::uint64_t sum = 0;
  for (std::size_t c = 0; c < dim; ++c) {
    offsets_[c] = sum;
    for (std::size_t p = 0; p < pieces; ++p) {
      sum += std::exchange(places_[p * dim + c], sum);
    }
  }
  offsets_[dim] = sum;
  rows_.resize(size);
  values_.resize(rows.has_values() ? size : 0);
  for_each_number([&](std::uint64_t& place, std::size_t s, float value) {
    rows_[place] = static_cast<std::uint32_t>(s);
    if (!values_.empty()) values_[place] = value;
    ++place;
  });
}

void SparseColumns::add_products(MatrixView<const float> dy, MatrixView<float> dw) const {
  parallel_for(dw.rows, kColumnsAtATime, [&](std::size_t c) {
    const std::uint32_t* const first = rows_.data() + offsets_[c];
    const std::uint32_t* last = rows_.data() + offsets_[c + 1];
    if (first != last && last[-1] >= dy.rows) last = std::lower_bound(first, last, dy.rows);
    kernels().gather_sum(dy.data, dy.stride, dw.cols, first,
                         values_.empty() ? nullptr : values_.data() + offsets_[c],
                         static_cast<std::size_t>(last - first), dw.row(c));
  });
}

}  // namespace frugal::gnn
