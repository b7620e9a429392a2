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
      query_({dim_, query_dim()}, options.precision),
      query_time_({time_dim_, query_dim(), false}, options.precision),
      value_bias_(query_dim()),
      output_({query_dim(), query_dim()}, options.precision),
      merge_first_({query_dim(), dim_}, options.precision),
      merge_own_({dim_, dim_, false}, options.precision),
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
  visit(self.query_time_, self.name_ + "query_time");
  for (std::size_t h = 0; h < self.heads_; ++h) {
    visit(self.keys_[h], self.name_ + "key." + std::to_string(h));
    visit(self.values_[h], self.name_ + "value." + std::to_string(h));
  }
  visit(self.output_, self.name_ + "output");
  visit(self.merge_first_, self.name_ + "merger.fc1");
  visit(self.merge_own_, self.name_ + "merger.own");
  visit(self.merge_second_, self.name_ + "merger.fc2");
}

std::uint64_t AttentionLayer::num_parameters() const {
  std::uint64_t count = key_bias_.size() + value_bias_.size();
  visit(*this, [&](const DenseLayer& layer, const std::string&) {
    count += layer.shape().num_parameters();
  });
  return count;
}

void AttentionLayer::forward(const LayerInput& input, const TgnPass& pass, MatrixView<float> out) {
  neighbors_.fill(input);
  fill_own(input);
  make_queries(input);
  attend(input, pass);
  merge(*input.queries, out);
}

void AttentionLayer::fill_own(const LayerInput& input) {
  const QueryRows& q = *input.queries;
  own_.resize(q.size(), dim_ + 1);
  for (std::size_t r = 0; r < q.size(); ++r) {
    std::copy_n(input.below.row(q.self[r]), dim_, own_.view().row(r));
  }
  set_ones(own_.view());
}

/// The time encoding in all queries is that of now.
void AttentionLayer::make_queries(const LayerInput& input) {
  const std::size_t n = input.queries->size();
  now_.resize(1, time_dim_);
  now_query_.resize(1, query_dim());
  queries_.resize(n, query_dim());
  const double zero = 0;
  input.time->encode({&zero, 1}, now_.view());
  query_time_.forward(now_.view(), now_query_.view());
  for (std::size_t r = 0; r < n; ++r) {
    std::copy_n(now_query_.view().row(0), query_dim(), queries_.view().row(r));
  }
  query_.forward(own_.view(), queries_.view(), 1);
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
  projected_.resize(n, heads_ * width());
  sums_.resize(n, heads_ * width());
  values_rows_.resize(n, query_dim() + 1);
  weights_.resize(input.queries->neighbors.size() * heads_);
  weight_sums_.resize(n * heads_);
  draw_dropout(pass, input.layer, dropout_, weights_.size(), keep_);
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

void AttentionLayer::merge(const QueryRows& queries, MatrixView<float> out) {
  const std::size_t n = queries.size();
  attended_.resize(n, query_dim() + 1);
  hidden_.resize(n, dim_ + 1);
  output_.forward(values_rows_.view(), attended_.columns(0, query_dim()));
  for (std::size_t r = 0; r < n; ++r) {
    if (queries.offsets[r] != queries.offsets[r + 1]) continue;
    std::fill_n(attended_.view().row(r), query_dim(), 0.0F);
  }
  set_ones(attended_.view());
  const MatrixView<float> hidden = hidden_.columns(0, dim_);
  merge_first_.forward(attended_.view(), hidden);
  merge_own_.forward(own_.columns(0, dim_), hidden, 1);
  for (std::size_t r = 0; r < n; ++r) kernels().relu(hidden.row(r), dim_);
  set_ones(hidden_.view());
  merge_second_.forward(hidden_.view(), out);
}

void AttentionLayer::backward(const LayerInput& input, MatrixView<float> dout,
                              MatrixView<float> dbelow, ParameterSteps& steps) {
  const QueryRows& q = *input.queries;
  merge_backward(q, dout, steps);
  values_backward(steps);
  d_projected_.resize(q.size(), heads_ * width());
  const MatrixView<float> d_sums = d_sums_.view(), d_projected = d_projected_.view();
  kernels().attention_backward(describe(input, dbelow), d_sums.data, d_sums.stride,
                               d_weight_sums_.data(), d_projected.data, d_projected.stride);
  neighbors_.finish_backward(input);
  queries_backward(input, steps);
  own_backward(query_, d_queries_.view(), q.self_gradient, dbelow);
  own_backward(merge_own_, d_hidden_.view(), q.self_gradient, dbelow);
}

void AttentionLayer::queries_backward(const LayerInput& input, ParameterSteps& steps) {
  const std::size_t n = input.queries->size();
  d_queries_.resize(n, query_dim());
  for (std::size_t h = 0; h < heads_; ++h) {
    const MatrixView<float> dy = head(d_projected_, h, width());
    keys_[h].backward(dy, head(d_queries_, h, head_dim()));
    steps.add(keys_[h], head(queries_, h, head_dim()), dy);
  }
  steps.add(query_, own_.view(), d_queries_.view());
  d_now_query_.resize(1, query_dim());
  float* sums = d_now_query_.view().row(0);
  std::fill_n(sums, query_dim(), 0.0F);
  for (std::size_t r = 0; r < n; ++r) {
    kernels().axpy(1, d_queries_.view().row(r), sums, query_dim());
  }
  std::vector<float> d_now(time_dim_);
  query_time_.backward(d_now_query_.view(), {d_now.data(), 1, time_dim_});
  input.time->add_gradient_at_zero(d_now);
  steps.add(query_time_, now_.view(), d_now_query_.view());
}

/// Adds dy W to the rows below that have a gradient: of a small batch few do.
void AttentionLayer::own_backward(const DenseLayer& layer, MatrixView<const float> dy,
                                  const std::vector<std::uint32_t>& gradient_rows,
                                  MatrixView<float> dbelow) {
  learning_.resize(dy.rows, dy.cols);
  std::size_t n = 0;
  for (std::size_t r = 0; r < dy.rows; ++r) {
    if (gradient_rows[r] == kNoRow) continue;
    std::copy_n(dy.row(r), dy.cols, learning_.view().row(n++));
  }
  d_own_.resize(n, dim_);
  layer.backward(learning_.view().rows_between(0, n), d_own_.view());
  n = 0;
  for (std::size_t r = 0; r < dy.rows; ++r) {
    if (gradient_rows[r] == kNoRow) continue;
    kernels().axpy(1, d_own_.view().row(n++), dbelow.row(gradient_rows[r]), dim_);
  }
}

void AttentionLayer::merge_backward(const QueryRows& queries, MatrixView<float> dout,
                                    ParameterSteps& steps) {
  const std::size_t n = queries.size();
  d_hidden_.resize(n, dim_);
  d_attended_.resize(n, query_dim());
  d_values_.resize(n, query_dim());
  steps.add(merge_second_, hidden_.view(), dout);
  merge_second_.backward(dout, d_hidden_.view());
  for (std::size_t r = 0; r < n; ++r) {
    kernels().relu_backward(hidden_.view().row(r), d_hidden_.view().row(r), dim_);
  }
  steps.add(merge_first_, attended_.view(), d_hidden_.view());
  steps.add(merge_own_, own_.columns(0, dim_), d_hidden_.view());
  merge_first_.backward(d_hidden_.view(), d_attended_.view());
  for (std::size_t r = 0; r < n; ++r) {
    if (queries.offsets[r] != queries.offsets[r + 1]) continue;
    std::fill_n(d_attended_.view().row(r), query_dim(), 0.0F);
  }
  steps.add(output_, values_rows_.view(), d_attended_.view());
  output_.backward(d_attended_.view(), d_values_.view());
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
