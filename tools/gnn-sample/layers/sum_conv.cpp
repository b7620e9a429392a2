#include "tools/gnn-sample/layers/sum_conv.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "libcore/kernels/kernels.h"
#include "libcore/nn/init.h"
#include "tools/gnn-sample/layers/row_chunks.h"
#include "tools/gnn-sample/layers/sparse_products.h"

namespace frugal::gnn {

struct SumConv::Room : ConvRoom {
  Factors factors;
  std::vector<float> edges;  ///< the factor of each edge of the block
  bool weighted = false;     ///< these have the weights of the block's edges in them
  RowStore sums;             ///< [targets, in]
  RowStore gradients;        ///< of the same, times the targets' factors

  // Where products of sparse rows are made first, sums are those of products, the outputs.
  bool products_first = false;
  RowStore products;  ///< [sources, out] W x; then their gradients
  SparseColumns columns;
  TransposedBlock transposed;
};

SumConv::SumConv(std::size_t in, std::size_t out, bool bias, Precision precision)
    : weights_(in, out, precision), bias_(bias ? 1 : 0, out) {}

std::unique_ptr<ConvRoom> SumConv::make_room() const { return std::make_unique<Room>(); }

void SumConv::add_own_gradient(const SourceRows&, std::size_t, std::size_t, std::size_t,
                               MatrixView<const float>) {}

void SumConv::forward(const ConvInput& input, ConvRoom& room, MatrixView<float> out,
                      const RowsDone& done) const {
  auto& r = static_cast<Room&>(room);
  const Block& block = input.block;
  set_factors(input, r.factors);
  r.weighted = block.weights != nullptr;
  const bool has_factors = r.weighted || !r.factors.source.empty();
  r.edges.resize(has_factors ? block.num_edges() : 0);
  r.products_first = gains_by_products_first(input.rows, block, weights_.out());
  SourceRows added = input.rows;
  if (r.products_first) {
    multiply_sparse(input.rows, block.sources, weights_.values(), r.products);
    added = SourceRows(std::as_const(r.products).view());
  }
  const bool keeps = input.pass.training && !r.products_first;  // what the backward pass will read
  if (keeps) r.sums.resize(block.targets, weights_.in());
  for_each_chunk(block.targets, [&](std::size_t begin, std::size_t end) {
    if (has_factors) set_edge_factors(block, begin, end, r);
    const MatrixView<float> rows = out.rows_between(begin, end);
    const MatrixView<float> sums = r.products_first ? rows
                                   : keeps          ? r.sums.view().rows_between(begin, end)
                                                    : working_rows(end - begin, weights_.in(), 1);
    const MatrixView<float> own = working_rows(end - begin, added.dim());
    added.copy(begin, end, own);
    added.aggregate(block, begin, end, {.weights = has_factors ? r.edges.data() : nullptr}, sums);
    for (std::size_t t = begin; t < end; ++t) {
      kernels().axpy(r.factors.own[t], own.row(t - begin), sums.row(t - begin), sums.cols);
    }
    if (!r.products_first) weights_.multiply(sums, rows);
    add_bias(bias_, rows);
    done(begin, end);
  });
}

/// Factors of the edges of targets [begin, end).
void SumConv::set_edge_factors(const Block& block, std::size_t begin, std::size_t end,
                               Room& r) const {
  for (std::size_t t = begin; t < end; ++t) {
    for (std::uint32_t e = block.offsets[t]; e < block.offsets[t + 1]; ++e) {
      const std::uint32_t source = block.neighbors[e];
      float factor = 1;
      if (!r.factors.source.empty()) {
        factor = source == t ? 0 : r.factors.target[t] * r.factors.source[source];
      }
      r.edges[e - block.offsets[0]] = r.weighted ? factor * block.weights[e] : factor;
    }
  }
}

void SumConv::backward(const ConvInput& input, ConvRoom& room, const OutputGradient& gradient) {
  auto& r = static_cast<Room&>(room);
  const std::size_t targets = input.block.targets;
  const SourceRows added =
      r.products_first ? SourceRows(std::as_const(r.products).view()) : input.rows;
  r.gradients.resize(targets, added.dim());
  for_each_grouped_chunk(targets, [&](std::size_t group, std::size_t begin, std::size_t end) {
    const MatrixView<float> dsums = r.gradients.view().rows_between(begin, end);
    const MatrixView<float> dy =
        r.products_first ? dsums : working_rows(end - begin, weights_.out());
    gradient(begin, end, dy);
    add_bias_gradient(bias_, group, dy);
    if (!r.products_first) {
      weights_.add_gradient(group, r.sums.view().rows_between(begin, end), dy);
      if (!input.wants_gradient && !own_is_trained()) return;
      weights_.multiply_transposed(dy, dsums);
    }
    if (own_is_trained()) add_own_gradient(added, group, begin, end, dsums);
    if (r.weighted || r.factors.source.empty()) return;
    for (std::size_t t = begin; t < end; ++t) {
      kernels().scale(r.factors.target[t], dsums.row(t - begin), dsums.cols);
    }
  });
  if (r.products_first) add_product_gradients(input, r);
}

void SumConv::add_product_gradients(const ConvInput& input, Room& r) {
  r.transposed.assign(input.block);
  for_each_chunk(input.block.sources, [&](std::size_t begin, std::size_t end) {
    sums_gradient(r.transposed, r, begin, end, r.products.view().rows_between(begin, end));
  });
  r.columns.assign(input.rows, input.block.sources);
  r.columns.add_products(r.products.view(), weights_.gradient(0));
}

void SumConv::input_gradient(const ConvInput& input, const ConvRoom& room, std::size_t begin,
                             std::size_t end, MatrixView<float> rows) const {
  sums_gradient(*input.transposed, static_cast<const Room&>(room), begin, end, rows);
}

/// From the gradients of the sums to those of what sources [begin, end) gave to them.
void SumConv::sums_gradient(const TransposedBlock& transposed, const Room& r, std::size_t begin,
                            std::size_t end, MatrixView<float> rows) const {
  const MatrixView<const float> dsums = r.gradients.view();
  set_zero(rows);
  if (r.weighted) {
    add_transposed(transposed, begin, end, dsums, rows, r.edges.data());
    for (std::size_t s = begin; s < std::min(end, dsums.rows); ++s) {
      kernels().axpy(r.factors.own[s], dsums.row(s), rows.row(s - begin), rows.cols);
    }
    return;
  }
  add_transposed(transposed, begin, end, dsums, rows);
  for (std::size_t s = begin; s < end; ++s) {
    float* row = rows.row(s - begin);
    if (!r.factors.source.empty()) {
      const float loops = s < dsums.rows ? r.factors.loops[s] : 0;
      if (loops != 0) kernels().axpy(-loops, dsums.row(s), row, rows.cols);
      kernels().scale(r.factors.source[s], row, rows.cols);
    }
    if (s >= dsums.rows) continue;
    kernels().axpy(r.factors.own[s] / r.factors.target[s], dsums.row(s), row, rows.cols);
  }
}

void GcnConv::randomize(std::uint64_t seed, std::uint64_t stream) {
  weights_.randomize(glorot_bound(weights_.in(), weights_.out()), seed, stream);
}

void GcnConv::set_factors(const ConvInput& input, Factors& factors) const {
  if (!input.weighted_degrees.empty()) return set_weighted_factors(input, factors);
  const Block& block = input.block;
  assert(input.degrees.size() >= block.sources);
  factors.own.resize(block.targets);
  factors.target.resize(block.targets);
  factors.loops.resize(block.targets);
  factors.source.resize(block.sources);
  for_each_chunk(block.sources, [&](std::size_t begin, std::size_t end) {
    for (std::size_t s = begin; s < end; ++s) {
      const float degree = static_cast<float>(input.degrees[s]);
      factors.source[s] = 1 / std::sqrt(degree + 1);
      if (s >= block.targets) continue;
      const auto t = static_cast<std::uint32_t>(s);
      const auto row = block.row(t);
      factors.loops[s] = static_cast<float>(std::count(row.begin(), row.end(), t));
      const float drawn = static_cast<float>(row.size()) - factors.loops[s];
      factors.own[s] = 1 / (degree + 1);
      factors.target[s] = factors.source[s] * (drawn > 0 && degree > 0 ? degree / drawn : 1);
    }
  });
}

/// A node whose weights are all 0 has no row, as in PyG.
void GcnConv::set_weighted_factors(const ConvInput& input, Factors& factors) const {
  const Block& block = input.block;
  assert(input.weighted_degrees.size() >= block.sources);
  factors.own.resize(block.targets);
  factors.target.resize(block.targets);
  factors.loops.assign(block.targets, 0);
  factors.source.resize(block.sources);
  for_each_chunk(block.sources, [&](std::size_t begin, std::size_t end) {
    for (std::size_t s = begin; s < end; ++s) {
      const WeightedDegree& degree = input.weighted_degrees[s];
      const double root = degree.total() > 0 ? 1 / std::sqrt(degree.total()) : 0;
      factors.source[s] = static_cast<float>(root);
      if (s >= block.targets) continue;
      double drawn = 0;
      for (std::uint32_t e = block.offsets[s]; e < block.offsets[s + 1]; ++e) {
        const bool counts = block.weights != nullptr && block.neighbors[e] != s;
        drawn += counts ? static_cast<double>(block.weights[e]) : 0;
      }
      const double stands_for = drawn > 0 ? degree.neighbors / drawn : 1;
      factors.own[s] = static_cast<float>(degree.own * root * root);
      factors.target[s] = static_cast<float>(root * stands_for);
    }
  });
}

std::vector<ParameterTensor> GcnConv::tensors() {
  std::vector<ParameterTensor> all = {{"lin.weight", &weights_, {weights_.out(), weights_.in()}}};
  if (bias_.size() != 0) all.push_back({"bias", &bias_, {bias_.out()}});
  return all;
}

GinConv::GinConv(std::size_t in, std::size_t out, bool bias, bool train_epsilon,
                 Precision precision)
    : SumConv(in, out, bias, precision), epsilon_(1, 1), train_epsilon_(train_epsilon) {}

void GinConv::randomize(std::uint64_t seed, std::uint64_t stream) {
  const double bound = 1 / std::sqrt(static_cast<double>(weights_.in()));
  weights_.randomize(bound, seed, stream);
  bias_.randomize(bound, seed, stream + 1);
}

void GinConv::set_factors(const ConvInput& input, Factors& factors) const {
  factors.own.assign(input.block.targets, 1 + epsilon_.values()(0, 0));
  factors.target.assign(input.block.targets, 1);
}

void GinConv::add_own_gradient(const SourceRows& rows, std::size_t group, std::size_t begin,
                               std::size_t end, MatrixView<const float> gradients) {
  const MatrixView<float> own = working_rows(end - begin, rows.dim(), 1);
  rows.copy(begin, end, own);
  float& sum = epsilon_.gradient(group)(0, 0);
  for (std::size_t r = 0; r < own.rows; ++r) {
    sum += kernels().dot(own.row(r), gradients.row(r), own.cols);
  }
}

std::vector<ParameterTensor> GinConv::tensors() {
  std::vector<ParameterTensor> all = {{"eps", &epsilon_, {1}, 0, train_epsilon_},
                                      {"nn.0.weight", &weights_, {weights_.out(), weights_.in()}}};
  if (bias_.size() != 0) all.push_back({"nn.0.bias", &bias_, {bias_.out()}});
  return all;
}

}  // namespace frugal::gnn
