#include "tools/gnn-sample/layers/source_rows.h"

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <limits>
#include <numeric>
#include <vector>

#include "libcore/embedding/embedding.h"

namespace frugal::gnn {
namespace {

RowType row_type(Dtype dtype) {
  switch (dtype) {
    case Dtype::f16: return RowType::f16;
    case Dtype::bf16: return RowType::bf16;
    case Dtype::i8: return RowType::i8;
    default: assert(dtype == Dtype::f32); return RowType::f32;
  }
}

std::size_t number_size(RowType type) {
  switch (type) {
    case RowType::f32: return sizeof(float);
    case RowType::i8: return 1;
    default: return 2;
  }
}

/// Room for a chunk's numbers of rows.
thread_local std::vector<std::uint32_t> chunk_numbers;

/// 0, 1, 2 ... : n numbers of rows, or the offsets of segments of one row each.
const std::uint32_t* ascending(std::size_t n) {
  thread_local std::vector<std::uint32_t> numbers;
  if (numbers.size() < n) {
    numbers.resize(n);
    std::iota(numbers.begin(), numbers.end(), 0U);
  }
  return numbers.data();
}

}  // namespace

SourceRows::SourceRows(MatrixView<const float> matrix)
    : data_(matrix.data), stride_(matrix.stride), dim_(matrix.cols) {}

SourceRows::SourceRows(const FeatureView& features, std::span<const NodeId> nodes)
    : type_(row_type(features.dtype)),
      data_(features.data),
      stride_(features.dim),
      dim_(features.dim),
      scales_(features.scales.data()),
      nodes_(nodes.empty() ? nullptr : nodes.data()) {
  assert(features.array == nullptr);
  if (features.sparse()) sparse_ = features;
}

SourceRows SourceRows::at(std::span<const std::uint32_t> sources,
                          std::vector<NodeId>& numbers) const {
  numbers.clear();
  for (const std::uint32_t s : sources) numbers.push_back(static_cast<NodeId>(number(s)));
  SourceRows rows = *this;
  rows.nodes_ = numbers.data();
  return rows;
}

std::uint64_t SourceRows::stored_numbers(std::size_t n) const {
  if (nodes_ == nullptr) return sparse_.offsets[n];
  std::uint64_t sum = 0;
  for (std::size_t s = 0; s < n; ++s) sum += sparse_.row_size(nodes_[s]);
  return sum;
}

void SourceRows::add_sparse(std::size_t source, float weight, float* row) const {
  for_each_sparse(source, source + 1,
                  [&](std::size_t, std::span<const std::uint32_t> columns, const float* values) {
                    for (std::size_t i = 0; i < columns.size(); ++i) {
                      row[columns[i]] += values == nullptr ? weight : weight * values[i];
                    }
                  });
}

void SourceRows::aggregate_sparse(const Block& block, std::size_t begin, std::size_t end,
                                  const Weighing& weighing, MatrixView<float> out) const {
  for (std::size_t t = begin; t < end; ++t) {
    float* const row = out.row(t - begin);
    if (!weighing.add) std::fill_n(row, dim_, 0.0F);
    const std::uint32_t first = block.offsets[t], last = block.offsets[t + 1];
    const float share = weighing.mean ? 1 / static_cast<float>(last - first) : 1;
    for (std::uint32_t e = first; e < last; ++e) {
      const float weight = weighing.weights == nullptr ? 1 : weighing.weights[e - block.offsets[0]];
      add_sparse(block.neighbors[e], share * weight, row);
    }
  }
}

void SourceRows::largest_sparse(const Block& block, std::size_t begin, std::size_t end,
                                MatrixView<float> out, std::uint32_t* edges) const {
  thread_local std::vector<float> room;
  room.resize(dim_);
  for (std::size_t t = begin; t < end; ++t) {
    float* const row = out.row(t - begin);
    std::uint32_t* const from = edges + (t - begin) * out.stride;
    const std::uint32_t first = block.offsets[t], last = block.offsets[t + 1];
    std::fill_n(row, dim_, first == last ? 0 : -std::numeric_limits<float>::infinity());
    std::fill_n(from, dim_, kEmptySegment);
    for (std::uint32_t e = first; e < last; ++e) {
      std::fill(room.begin(), room.end(), 0.0F);
      add_sparse(block.neighbors[e], 1, room.data());
      const std::uint32_t edge = e - block.offsets[begin];
      for (std::size_t c = 0; c < dim_; ++c) {
        from[c] = room[c] > row[c] ? edge : from[c];
        row[c] = std::max(room[c], row[c]);
      }
    }
  }
}

SegmentSum SourceRows::segments(MatrixView<float> out) const {
  assert(out.cols == dim_);
  return {.type = type_,
          .table = data_,
          .stride = stride_,
          .dim = dim_,
          .scales = scales_,
          .num_segments = out.rows,
          .out = out.data,
          .out_stride = out.stride};
}

void SourceRows::copy(std::size_t begin, std::size_t end, MatrixView<float> out) const {
  if (sparse()) {
    for (std::size_t s = begin; s < end; ++s) {
      std::fill_n(out.row(s - begin), dim_, 0.0F);
      add_sparse(s, 1, out.row(s - begin));
    }
    return;
  }
  SegmentSum sum = segments(out);
  sum.offsets = ascending(end - begin + 1);
  if (nodes_ != nullptr) {
    sum.rows = nodes_ + begin;
  } else {
    sum.table = static_cast<const std::byte*>(data_) + begin * stride_ * number_size(type_);
    if (scales_ != nullptr) sum.scales = scales_ + begin;
    sum.rows = sum.offsets;
  }
  kernels().segment_sum(sum);
}

void SourceRows::gather(std::span<const std::uint32_t> sources, MatrixView<float> out) const {
  if (sparse()) {
    for (std::size_t i = 0; i < sources.size(); ++i)
      copy(sources[i], sources[i] + 1, out.rows_between(i, i + 1));
    return;
  }
  SegmentSum sum = segments(out);
  sum.offsets = ascending(sources.size() + 1);
  sum.rows = sources.data();
  if (nodes_ != nullptr) {
    chunk_numbers.resize(std::max(chunk_numbers.size(), sources.size()));
    for (std::size_t i = 0; i < sources.size(); ++i) chunk_numbers[i] = nodes_[sources[i]];
    sum.rows = chunk_numbers.data();
  }
  kernels().segment_sum(sum);
}

/// The edges of targets [begin, end).
SegmentSum SourceRows::edge_segments(const Block& block, std::size_t begin, std::size_t end,
                                     MatrixView<float> out) const {
  SegmentSum sum = segments(out);
  const std::uint32_t first = block.offsets[begin], last = block.offsets[end];
  sum.offsets = block.offsets + begin;
  sum.rows = block.neighbors + first;
  if (nodes_ == nullptr) return sum;
  chunk_numbers.resize(std::max<std::size_t>(chunk_numbers.size(), last - first));
  for (std::uint32_t e = first; e < last; ++e) {
    chunk_numbers[e - first] = nodes_[block.neighbors[e]];
  }
  sum.rows = chunk_numbers.data();
  return sum;
}

void SourceRows::aggregate(const Block& block, std::size_t begin, std::size_t end,
                           const Weighing& weighing, MatrixView<float> out) const {
  if (sparse()) return aggregate_sparse(block, begin, end, weighing, out);
  SegmentSum sum = edge_segments(block, begin, end, out);
  if (weighing.weights != nullptr) {
    sum.weights = weighing.weights + (block.offsets[begin] - block.offsets[0]);
  }
  sum.mean = weighing.mean;
  sum.add = weighing.add;
  kernels().segment_sum(sum);
}

void SourceRows::largest(const Block& block, std::size_t begin, std::size_t end,
                         MatrixView<float> out, std::uint32_t* edges) const {
  if (sparse()) return largest_sparse(block, begin, end, out, edges);
  kernels().segment_max(edge_segments(block, begin, end, out), edges);
}

SourceRows::Weighing mean_weighing(const Block& block, std::size_t begin, std::size_t end,
                                   std::vector<float>& shares) {
  if (block.weights == nullptr) return {.mean = true};
  for (std::size_t t = begin; t < end; ++t) {
    const std::uint32_t first = block.offsets[t], last = block.offsets[t + 1];
    double sum = 0;
    for (std::uint32_t e = first; e < last; ++e) sum += static_cast<double>(block.weights[e]);
    for (std::uint32_t e = first; e < last; ++e) {
      const double share = sum > 0 ? static_cast<double>(block.weights[e]) / sum : 0;
      shares[e - block.offsets[0]] = static_cast<float>(share);
    }
  }
  return {.weights = shares.data()};
}

void copy_features(const FeatureView& features, std::size_t begin, std::size_t end,
                   MatrixView<float> out) {
  if (features.array == nullptr) return SourceRows(features, {}).copy(begin, end, out);
  std::vector<std::uint32_t> rows(end - begin);
  std::iota(rows.begin(), rows.end(), static_cast<std::uint32_t>(begin));
  features.array->lookup_table(0, rows.data(), rows.size(), out);
}

}  // namespace frugal::gnn
