#include "tools/tgn-train/network/attention_layer.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "libcore/nn/init.h"

namespace frugal {
namespace {

DenseShape without_bias(std::size_t in, std::size_t out) { return {in, out, false}; }

/// Ones in the last column.
void set_ones(MatrixView<float> rows) {
  for (std::size_t r = 0; r < rows.rows; ++r) rows(r, rows.cols - 1) = 1;
}

}  // namespace

AttentionLayer::AttentionLayer(const TgnOptions& options, const TgnInputs& inputs,
                               std::size_t layer)
    : name_("embedding_module.attention_models." + std::to_string(layer) + "."),
      dim_(options.memory_dim),
      time_dim_(options.time_dim),
      heads_(options.heads),
      dropout_(options.dropout),
      neighbors_(dim_, inputs.edge_features, time_dim_),
      query_({query_dim(), query_dim()}, options.precision),
      value_bias_(query_dim()),
      output_({query_dim(), query_dim()}, options.precision),
      merge_first_({query_dim() + dim_, dim_}, options.precision),
      merge_second_({dim_, dim_}, options.precision),
      key_bias_(query_dim()) {
  for (std::size_t h = 0; h < heads_; ++h) {
    keys_.emplace_back(without_bias(head_dim(), width()), options.precision);
    values_.emplace_back(without_bias(width(), head_dim()), options.precision);
  }
}

/// Calls visit(layer, name of its state) for every layer.
template <class Layers, class Visit>
void AttentionLayer::visit(Layers& self, const Visit& visit) {
  visit(self.query_, self.name_ + "query");
  for (std::size_t h = 0; h < self.heads_; ++h) {
    visit(self.keys_[h], self.name_ + "key." + std::to_string(h));
    visit(self.values_[h], self.name_ + "value." + std::to_string(h));
  }
  visit(self.output_, self.name_ + "output");
  visit(self.merge_first_, self.name_ + "merger.fc1");
  visit(self.merge_second_, self.name_ + "merger.fc2");
}

std::uint64_t AttentionLayer::num_parameters() const {
  std::uint64_t count = key_bias_.size() + value_bias_.size();
  visit(*this, [&](const DenseLayer& layer, const std::string&) {
    count += layer.shape().num_parameters();
  });
  return count;
}

/// As PyTorch's multi-head attention and TGN's merge layers begin.
void AttentionLayer::randomize(std::uint64_t seed, std::uint64_t stream) {
  std::vector<float> drawn(query_dim() * std::max(query_dim() + dim_, width()));
  const std::vector<float> zeros(query_dim());
  const auto draw = [&](std::size_t out, std::size_t in, std::uint64_t number) {
    const MatrixView<float> weights(drawn.data(), out, in);
    fill_uniform(weights, glorot_bound(in, out), seed, stream + number);
    return weights;
  };
  query_.set(draw(query_dim(), query_dim(), 0), zeros);
  Array<float> transposed(width() * head_dim());
  const MatrixView<float> keys = draw(query_dim(), width(), 1);
  for (std::size_t h = 0; h < heads_; ++h) {
    kernels().transpose(keys.row(h * head_dim()), keys.stride, width(), head_dim(),
                        transposed.data(), head_dim());
    keys_[h].set({transposed.data(), width(), head_dim()}, {});
  }
  const MatrixView<float> values = draw(query_dim(), width(), 2);
  for (std::size_t h = 0; h < heads_; ++h) {
    values_[h].set(values.rows_between(h * head_dim(), (h + 1) * head_dim()), {});
  }
  output_.randomize_uniform(seed, stream + 3);
  merge_first_.randomize_glorot(seed, stream + 4);
  merge_second_.randomize_glorot(seed, stream + 5);
  std::fill_n(value_bias_.values().data(), value_bias_.size(), 0.0F);
}

void AttentionLayer::forward(const LayerInput& input, const TgnPass& pass, MatrixView<float> out) {
  neighbors_.fill(input);
  fill_queries(input);
  attend(input, pass);
  merge(input, out);
}

void AttentionLayer::fill_queries(const LayerInput& input) {
  const QueryRows& q = *input.queries;
  query_in_.resize(q.size(), query_dim() + 1);
  std::vector<float> phi(time_dim_);
  const double zero = 0;
  input.time->encode({&zero, 1}, {phi.data(), 1, time_dim_});
  for (std::size_t r = 0; r < q.size(); ++r) {
    float* row = query_in_.view().row(r);
    std::copy_n(input.below.row(q.self[r]), dim_, row);
    std::copy_n(phi.data(), time_dim_, row + dim_);
  }
  set_ones(query_in_.view());
}

/// Where dbelow is given, of the backward pass.
Attention AttentionLayer::describe(const LayerInput& input, MatrixView<float> dbelow) {
  Attention attention;
  neighbors_.describe(input, dbelow, attention);
  const MatrixView<float> projected = projected_.view(), sums = sums_.view();
  attention.heads = heads_;
  attention.query = projected.data;
  attention.query_stride = projected.stride;
  attention.scale = static_cast<float>(1 / std::sqrt(static_cast<double>(head_dim())));
  attention.weights = weights_.data();
  attention.keep = keep_.empty() ? nullptr : keep_.data();
  attention.out = sums.data;
  attention.out_stride = sums.stride;
  attention.sums = weight_sums_.data();
  return attention;
}

void AttentionLayer::attend(const LayerInput& input, const TgnPass& pass) {
  const std::size_t n = input.queries->size();
  queries_.resize(n, query_dim());
  projected_.resize(n, heads_ * width());
  sums_.resize(n, heads_ * width());
  values_rows_.resize(n, query_dim() + 1);
  weights_.resize(input.queries->neighbors.size() * heads_);
  weight_sums_.resize(n * heads_);
  draw_dropout(pass, input.layer, dropout_, weights_.size(), keep_);
  query_.forward(query_in_.view(), queries_.view());
  for (std::size_t h = 0; h < heads_; ++h) {
    keys_[h].forward(head(queries_, h, head_dim()), head(projected_, h, width()));
  }
  kernels().attention_forward(describe(input, {}));
  for (std::size_t h = 0; h < heads_; ++h) {
    values_[h].forward(head(sums_, h, width()), head(values_rows_, h, head_dim()));
    for (std::size_t r = 0; r < n; ++r) {
      kernels().axpy(weight_sums_[r * heads_ + h], value_bias_.values().data() + h * head_dim(),
                     values_rows_.view().row(r) + h * head_dim(), head_dim());
    }
  }
  set_ones(values_rows_.view());
}

void AttentionLayer::merge(const LayerInput& input, MatrixView<float> out) {
  const QueryRows& q = *input.queries;
  merged_.resize(q.size(), query_dim() + dim_ + 1);
  hidden_.resize(q.size(), dim_ + 1);
  output_.forward(values_rows_.view(), merged_.columns(0, query_dim()));
  for (std::size_t r = 0; r < q.size(); ++r) {
    float* row = merged_.view().row(r);
    if (q.offsets[r] == q.offsets[r + 1]) std::fill_n(row, query_dim(), 0.0F);
    std::copy_n(input.below.row(q.self[r]), dim_, row + query_dim());
  }
  set_ones(merged_.view());
  merge_first_.forward(merged_.view(), hidden_.columns(0, dim_));
  for (std::size_t r = 0; r < q.size(); ++r) kernels().relu(hidden_.view().row(r), dim_);
  set_ones(hidden_.view());
  merge_second_.forward(hidden_.view(), out);
}

void AttentionLayer::backward(const LayerInput& input, MatrixView<float> dout,
                              MatrixView<float> dbelow, ParameterSteps& steps) {
  const QueryRows& q = *input.queries;
  merge_backward(input, dout, steps);
  values_backward(steps);
  d_projected_.resize(q.size(), heads_ * width());
  d_queries_.resize(q.size(), query_dim());
  d_query_in_.resize(q.size(), query_dim());
  const MatrixView<float> d_sums = d_sums_.view(), d_projected = d_projected_.view();
  kernels().attention_backward(describe(input, dbelow), d_sums.data, d_sums.stride,
                               d_weight_sums_.data(), d_projected.data, d_projected.stride);
  neighbors_.finish_backward(input);
  for (std::size_t h = 0; h < heads_; ++h) {
    const MatrixView<float> dy = head(d_projected_, h, width());
    keys_[h].backward(dy, head(d_queries_, h, head_dim()));
    steps.add(keys_[h], head(queries_, h, head_dim()), dy);
  }
  query_.backward(d_queries_.view(), d_query_in_.view());
  steps.add(query_, query_in_.view(), d_queries_.view());
  std::vector<float> phi(time_dim_);
  for (std::size_t r = 0; r < q.size(); ++r) {
    kernels().axpy(1, d_query_in_.view().row(r) + dim_, phi.data(), time_dim_);
  }
  input.time->add_gradient_at_zero(phi);
  add_to_rows(d_query_in_.columns(0, dim_), q.self_gradient, dbelow);
  add_to_rows(d_merged_.columns(query_dim(), query_dim() + dim_), q.self_gradient, dbelow);
}

void AttentionLayer::merge_backward(const LayerInput& input, MatrixView<float> dout,
                                    ParameterSteps& steps) {
  const QueryRows& q = *input.queries;
  d_hidden_.resize(q.size(), dim_);
  d_merged_.resize(q.size(), query_dim() + dim_);
  d_values_.resize(q.size(), query_dim());
  steps.add(merge_second_, hidden_.view(), dout);
  merge_second_.backward(dout, d_hidden_.view());
  for (std::size_t r = 0; r < q.size(); ++r) {
    kernels().relu_backward(hidden_.view().row(r), d_hidden_.view().row(r), dim_);
  }
  steps.add(merge_first_, merged_.view(), d_hidden_.view());
  merge_first_.backward(d_hidden_.view(), d_merged_.view());
  for (std::size_t r = 0; r < q.size(); ++r) {
    if (q.offsets[r] == q.offsets[r + 1]) {
      std::fill_n(d_merged_.view().row(r), query_dim(), 0.0F);
    }
  }
  const MatrixView<float> d_output = d_merged_.columns(0, query_dim());
  steps.add(output_, values_rows_.view(), d_output);
  output_.backward(d_output, d_values_.view());
}

void AttentionLayer::values_backward(ParameterSteps& steps) {
  const std::size_t n = d_values_.view().rows;
  d_sums_.resize(n, heads_ * width());
  d_weight_sums_.resize(n * heads_);
  for (std::size_t h = 0; h < heads_; ++h) {
    const MatrixView<float> dy = head(d_values_, h, head_dim());
    const float* bias = value_bias_.values().data() + h * head_dim();
    for (std::size_t r = 0; r < n; ++r) {
      d_weight_sums_[r * heads_ + h] = kernels().dot(dy.row(r), bias, head_dim());
      kernels().axpy(weight_sums_[r * heads_ + h], dy.row(r),
                     value_bias_.gradient() + h * head_dim(), head_dim());
    }
    values_[h].backward(dy, head(d_sums_, h, width()));
    steps.add(values_[h], head(sums_, h, width()), dy);
  }
  steps.add(value_bias_);
}

void AttentionLayer::prepare_training(const OptimizerOptions& optimizer) {
  visit(*this, [&](DenseLayer& layer, const std::string&) { layer.prepare_training(optimizer); });
  value_bias_.prepare_training(optimizer);
}

void AttentionLayer::save_state(Document& document) const {
  visit(*this, [&](const DenseLayer& layer, const std::string& name) {
    layer.save_state(document, name);
  });
  value_bias_.save_state(document, name_ + "value_bias");
}

void AttentionLayer::load_state(const Document& document, const std::string& path) {
  visit(*this, [&](DenseLayer& layer, const std::string& name) {
    layer.load_state(document, path, name);
  });
  value_bias_.load_state(document, path, name_ + "value_bias");
}

}  // namespace frugal
