#include "tools/tgn-train/network/attention_heads.h"

#include <cmath>

#include "libcore/threading/parallel.h"

namespace frugal::tgn {
namespace {

/// Queries that one thread computes at a time.
constexpr std::size_t kQueriesAtATime = 8;

/// Restricts a forward pass to queries [begin, end).
Attention queries_of(const Attention& all, std::size_t begin, std::size_t end) {
  Attention some = all;
  some.offsets += begin;
  some.num_queries = end - begin;
  some.query += begin * all.query_stride;
  some.out += begin * all.out_stride;
  some.sums += begin * all.heads;
  return some;
}

}  // namespace

AttentionHeads::AttentionHeads(const TgnOptions& options, const TgnInputs& inputs,
                               std::size_t head_dim)
    : heads_(options.heads),
      head_dim_(head_dim),
      dropout_(options.dropout),
      neighbors_(options.memory_dim, inputs.edge_features, options.time_dim) {}

void AttentionHeads::begin(const LayerInput& input, const TgnPass& pass) {
  const QueryRows& q = *input.queries;
  neighbors_.fill(input);
  projected_.resize(q.size(), heads_ * width());
  sums_.resize(q.size(), heads_ * width());
  weights_.resize(q.neighbors.size() * heads_);
  weight_sums_.resize(q.size() * heads_);
  draw_dropout(pass, input.layer, dropout_, weights_.size(), keep_);
}

/// Describes the forward pass; with dbelow, the backward pass.
Attention AttentionHeads::describe(const LayerInput& input, MatrixView<float> dbelow) {
  Attention attention;
  neighbors_.describe(input, dbelow, attention);
  const MatrixView<float> projected = projected_.view(), sums = sums_.view();
  attention.heads = heads_;
  attention.query = projected.data;
  attention.query_stride = projected.stride;
  attention.scale = static_cast<float>(1 / std::sqrt(static_cast<double>(head_dim_)));
  attention.weights = weights_.data();
  attention.keep = keep_.empty() ? nullptr : keep_.data();
  attention.out = sums.data;
  attention.out_stride = sums.stride;
  attention.sums = weight_sums_.data();
  return attention;
}

void AttentionHeads::attend(const LayerInput& input) {
  const Attention all = describe(input, {});
  parallel_blocks(all.num_queries, kQueriesAtATime, [&](std::size_t begin, std::size_t end) {
    kernels().attention_forward(queries_of(all, begin, end));
  });
}

void AttentionHeads::begin_backward(const LayerInput& input) {
  const std::size_t n = input.queries->size();
  d_sums_.resize(n, heads_ * width());
  d_weight_sums_.resize(n * heads_);
  d_projected_.resize(n, heads_ * width());
}

void AttentionHeads::attend_backward(const LayerInput& input, MatrixView<float> dbelow) {
  const MatrixView<float> d_sums = d_sums_.view(), d_projected = d_projected_.view();
  kernels().attention_backward(describe(input, dbelow), d_sums.data, d_sums.stride,
                               d_weight_sums_.data(), d_projected.data, d_projected.stride);
  neighbors_.finish_backward(input);
}

void AttentionHeads::add_bias(std::size_t h, const VectorParameter& bias,
                              MatrixView<float> values) const {
  const float* b = bias.values().data() + h * head_dim_;
  for (std::size_t r = 0; r < values.rows; ++r) {
    kernels().axpy(weight_sums_[r * heads_ + h], b, values.row(r), head_dim_);
  }
}

void AttentionHeads::bias_backward(std::size_t h, MatrixView<const float> dvalues,
                                   VectorParameter& bias) {
  const float* b = bias.values().data() + h * head_dim_;
  float* gradient = bias.gradient() + h * head_dim_;
  for (std::size_t r = 0; r < dvalues.rows; ++r) {
    d_weight_sums_[r * heads_ + h] = kernels().dot(dvalues.row(r), b, head_dim_);
    kernels().axpy(weight_sums_[r * heads_ + h], dvalues.row(r), gradient, head_dim_);
  }
}

}  // namespace frugal::tgn
