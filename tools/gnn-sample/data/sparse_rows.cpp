#include "tools/gnn-sample/data/sparse_rows.h"

#include <algorithm>
#include <cstring>

#include "libcore/base/text.h"
#include "libcore/system/limits.h"
#include "libcore/threading/parallel.h"

namespace frugal::gnn {
namespace {

constexpr std::size_t kRowsAtATime = 256;

}  // namespace

FeatureView SparseRows::view() const {
  return {.dtype = dtype,
          .data = values.empty() ? nullptr : values.data(),
          .rows = rows(),
          .dim = dim,
          .scales = {},
          .offsets = offsets.data(),
          .columns = columns.data(),
          .array = nullptr};
}

void SparseRows::assign(const FeatureView& from, std::span<const NodeId> nodes) {
  dim = from.dim;
  dtype = from.dtype;
  offsets.resize(nodes.size() + 1);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    offsets[i + 1] = offsets[i] + from.row_size(nodes[i]);
  }
  const std::size_t width = from.data == nullptr ? 0 : item_size(dtype);
  columns.resize(offsets.back());
  values.resize(offsets.back() * width);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const std::span<const std::uint32_t> row = from.row_columns(nodes[i]);
    std::copy(row.begin(), row.end(), columns.data() + offsets[i]);
    if (width == 0 || row.empty()) continue;
    std::memcpy(values.data() + offsets[i] * width, from.data + from.offsets[nodes[i]] * width,
                row.size() * width);
  }
}

Tensor to_dense(const SparseRows& sparse, const std::string& place) {
  const std::size_t rows = sparse.rows(), dim = sparse.dim;
  check_memory(
      place + ": features of " + format_count(rows, "node") + ", " + std::to_string(dim) + " each,",
      rows * dim * sizeof(float));
  Tensor dense = Tensor::make("features", Dtype::f32, {rows, dim});
  float* const to = dense.as<float>().data();
  const FeatureView view = sparse.view();
  parallel_for(rows, kRowsAtATime, [&](std::size_t r) {
    float* const row = to + r * dim;
    std::fill_n(row, dim, 0.0F);
    for (std::uint64_t i = sparse.offsets[r]; i < sparse.offsets[r + 1]; ++i) {
      row[sparse.columns[i]] = view.data == nullptr ? 1 : sparse.floats()[i];
    }
  });
  return dense;
}

SparseRows to_sparse(const Tensor& dense) {
  SparseRows sparse;
  const std::size_t rows = dense.shape[0], dim = dense.shape[1];
  sparse.dim = dim;
  const float* const from = dense.as<float>().data();
  sparse.offsets.resize(rows + 1);
  parallel_for(rows, kRowsAtATime, [&](std::size_t r) {
    const float* const row = from + r * dim;
    sparse.offsets[r + 1] = dim - static_cast<std::size_t>(std::count(row, row + dim, 0.0F));
  });
  for (std::size_t r = 0; r < rows; ++r) sparse.offsets[r + 1] += sparse.offsets[r];
  sparse.columns.resize(sparse.offsets[rows]);
  sparse.values.resize(sparse.offsets[rows] * sizeof(float));
  parallel_for(rows, kRowsAtATime, [&](std::size_t r) {
    const float* const row = from + r * dim;
    std::uint64_t at = sparse.offsets[r];
    for (std::size_t c = 0; c < dim; ++c) {
      if (row[c] == 0) continue;
      sparse.columns[at] = static_cast<std::uint32_t>(c);
      sparse.floats()[at++] = row[c];
    }
  });
  return sparse;
}

}  // namespace frugal::gnn
