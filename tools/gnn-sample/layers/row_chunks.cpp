#include "tools/gnn-sample/layers/row_chunks.h"

#include <algorithm>
#include <array>

#include "libcore/base/array.h"
#include "libcore/kernels/gemm.h"
#include "libcore/kernels/kernels.h"
#include "libcore/nn/weights.h"
#include "libcore/threading/parallel.h"

namespace frugal::gnn {

void TransposedBlock::assign(const Block& block) {
  const std::uint32_t num_edges = block.num_edges();
  const std::uint32_t* neighbors = num_edges == 0 ? nullptr : block.neighbors + block.offsets[0];
  // Counted two places ahead, so that placing the edges leaves each row's begin where it belongs.
  offsets.assign(std::size_t{block.sources} + 2, 0);
  for (std::uint32_t e = 0; e < num_edges; ++e) ++offsets[neighbors[e] + 2];
  for (std::size_t s = 2; s < offsets.size(); ++s) offsets[s] += offsets[s - 1];
  targets.resize(num_edges);
  edges.resize(num_edges);
  std::uint32_t e = 0;
  for (std::uint32_t t = 0; t < block.targets; ++t) {
    for (const std::uint32_t source : block.row(t)) {
      const std::uint32_t place = offsets[source + 1]++;
      targets[place] = t;
      edges[place] = e++;
    }
  }
  offsets.pop_back();
}

MatrixView<float> working_rows(std::size_t rows, std::size_t cols, std::size_t slot) {
  thread_local std::array<Array<float>, kActivationSlot + 1> memory;
  const std::size_t stride = in_place_stride(cols);
  Array<float>& room = memory.at(slot);
  if (room.size() < rows * stride) room = Array<float>(rows * stride);
  return {room.data(), rows, cols, stride};
}

void add_bias(const Weights& bias, MatrixView<float> rows) {
  if (bias.size() == 0) return;
  const float* values = bias.values().data;
  for (std::size_t r = 0; r < rows.rows; ++r) kernels().axpy(1, values, rows.row(r), rows.cols);
}

void add_bias_gradient(Weights& bias, std::size_t group, MatrixView<const float> gradient) {
  if (bias.size() == 0) return;
  float* sums = bias.gradient(group).data;
  for (std::size_t r = 0; r < gradient.rows; ++r) {
    kernels().axpy(1, gradient.row(r), sums, gradient.cols);
  }
}

void set_zero(MatrixView<float> rows) {
  for (std::size_t r = 0; r < rows.rows; ++r) std::fill_n(rows.row(r), rows.cols, 0.0F);
}

void copy_rows_or_zero(MatrixView<const float> from, std::size_t begin, std::size_t end,
                       MatrixView<float> out) {
  for (std::size_t s = begin; s < end; ++s) {
    if (s < from.rows) {
      std::copy_n(from.row(s), from.cols, out.row(s - begin));
    } else {
      std::fill_n(out.row(s - begin), out.cols, 0.0F);
    }
  }
}

void add_transposed(const TransposedBlock& edges, std::size_t begin, std::size_t end,
                    MatrixView<const float> from, MatrixView<float> out, const float* weights) {
  const std::size_t first = edges.offsets[begin];
  thread_local std::vector<float> in_order;
  if (weights != nullptr) {
    in_order.clear();
    for (std::size_t i = first; i < edges.offsets[end]; ++i) {
      in_order.push_back(weights[edges.edges[i]]);
    }
  }
  kernels().segment_sum({.table = from.data,
                         .stride = from.stride,
                         .dim = from.cols,
                         .rows = edges.targets.data() + first,
                         .offsets = edges.offsets.data() + begin,
                         .num_segments = end - begin,
                         .weights = weights == nullptr ? nullptr : in_order.data(),
                         .add = true,
                         .out = out.data,
                         .out_stride = out.stride});
}

void for_each_chunk(std::size_t n, const std::function<void(std::size_t, std::size_t)>& body) {
  const std::size_t chunks = (n + kChunkRows - 1) / kChunkRows;
  parallel_for(chunks, 1,
               [&](std::size_t c) { body(c * kChunkRows, std::min(n, (c + 1) * kChunkRows)); });
}

void for_each_grouped_chunk(
    std::size_t n, const std::function<void(std::size_t, std::size_t, std::size_t)>& body) {
  const std::size_t chunks = (n + kChunkRows - 1) / kChunkRows;
  if (chunks == 0) return;
  const std::size_t rows = (chunks + Weights::kGroups - 1) / Weights::kGroups * kChunkRows;
  parallel_for((n + rows - 1) / rows, 1, [&](std::size_t group) {
    const std::size_t last = std::min(n, (group + 1) * rows);
    for (std::size_t begin = group * rows; begin < last; begin += kChunkRows) {
      body(group, begin, std::min(last, begin + kChunkRows));
    }
  });
}

}  // namespace frugal::gnn
