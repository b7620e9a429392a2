#include "tools/tgn-train/network/attention_layer.h"

#include <algorithm>

#include "libcore/nn/init.h"
#include "libcore/nn/state_tensors.h"

namespace frugal::tgn {

// Files use the names and shapes of PyTorch's multi-head attention, where the heads' rows follow
// each other.
/// Draws initial weights as PyTorch's multi-head attention and TGN's merge layers do.
void AttentionLayer::randomize(std::uint64_t seed, std::uint64_t stream) {
  Document document;
  const std::string target = name_ + "multi_head_target.";
  const auto draw = [&](const std::string& name, std::size_t in, std::uint64_t number) {
    Tensor weights = Tensor::make(target + name, Dtype::f32, {query_dim(), in});
    fill_uniform({weights.as<float>().data(), query_dim(), in}, glorot_bound(in, query_dim()), seed,
                 stream + number);
    document.tensors.push_back(std::move(weights));
  };
  draw("q_proj_weight", query_dim(), 0);
  draw("k_proj_weight", width(), 1);
  draw("v_proj_weight", width(), 2);
  const std::vector<float> zeros(3 * query_dim());
  document.tensors.push_back(
      Tensor::copy_of<float>(target + "in_proj_bias", {3 * query_dim()}, zeros));
  output_.randomize_uniform(seed, stream + 3);
  output_.save(document, target + "out_proj");
  DenseLayer merge({query_dim() + dim_, dim_}, Precision::f32);
  merge.randomize_glorot(seed, stream + 4);
  merge.save(document, name_ + "merger.fc1");
  merge_second_.randomize_glorot(seed, stream + 5);
  merge_second_.save(document, name_ + "merger.fc2");
  load(document, "");
}

void AttentionLayer::save(Document& document) const {
  const std::string target = name_ + "multi_head_target.";
  const std::size_t q = query_dim();
  const auto add = [&](const std::string& name, const Shape& shape, std::span<const float> values) {
    document.tensors.push_back(Tensor::copy_of<float>(target + name, shape, values));
  };
  std::vector<float> weights(q * q), in_bias(3 * q);
  query_.get({weights.data(), q, dim_, q}, {in_bias.data(), q});
  query_time_.get({weights.data() + dim_, q, time_dim_, q}, {});
  add("q_proj_weight", {q, q}, weights);
  std::copy(key_bias_.begin(), key_bias_.end(), in_bias.begin() + static_cast<std::ptrdiff_t>(q));
  std::copy_n(value_bias_.values().data(), q, in_bias.data() + 2 * q);
  add("in_proj_bias", {3 * q}, in_bias);
  std::vector<float> keys(q * width()), values(q * width()), transposed(width() * head_dim());
  for (std::size_t h = 0; h < heads_.count(); ++h) {
    float* rows = keys.data() + h * head_dim() * width();
    keys_[h].get({transposed.data(), width(), head_dim()}, {});
    kernels().transpose(transposed.data(), head_dim(), head_dim(), width(), rows, width());
    values_[h].get({values.data() + h * head_dim() * width(), head_dim(), width()}, {});
  }
  add("k_proj_weight", {q, width()}, keys);
  add("v_proj_weight", {q, width()}, values);
  output_.save(document, target + "out_proj");
  Tensor merge = Tensor::make(name_ + "merger.fc1.weight", Dtype::f32, {dim_, q + dim_});
  float* rows = merge.as<float>().data();
  std::vector<float> bias(dim_);
  merge_first_.get({rows, dim_, q, q + dim_}, bias);
  merge_own_.get({rows + q, dim_, dim_, q + dim_}, {});
  document.tensors.push_back(std::move(merge));
  document.tensors.push_back(Tensor::copy_of<float>(name_ + "merger.fc1.bias", {dim_}, bias));
  merge_second_.save(document, name_ + "merger.fc2");
}

void AttentionLayer::load(const Document& document, const std::string& path) {
  const std::string target = name_ + "multi_head_target.";
  const std::size_t q = query_dim();
  const auto take = [&](const std::string& name, const Shape& shape) {
    return shaped_tensor(document, path, target + name, shape).as<float>();
  };
  const std::span<const float> in_bias = take("in_proj_bias", {3 * q});
  const float* queries = take("q_proj_weight", {q, q}).data();
  query_.set({queries, q, dim_, q}, in_bias.subspan(0, q));
  query_time_.set({queries + dim_, q, time_dim_, q}, {});
  std::copy_n(in_bias.data() + q, q, key_bias_.data());
  std::copy_n(in_bias.data() + 2 * q, q, value_bias_.values().data());
  const float* keys = take("k_proj_weight", {q, width()}).data();
  const float* values = take("v_proj_weight", {q, width()}).data();
  std::vector<float> transposed(width() * head_dim());
  for (std::size_t h = 0; h < heads_.count(); ++h) {
    const std::size_t begin = h * head_dim() * width();
    kernels().transpose(keys + begin, width(), width(), head_dim(), transposed.data(), head_dim());
    keys_[h].set({transposed.data(), width(), head_dim()}, {});
    values_[h].set({values + begin, head_dim(), width()}, {});
  }
  output_.load(document, path, target + "out_proj");
  const std::string merger = name_ + "merger.fc1";
  DenseLayer::check(document, path, merger, {q + dim_, dim_});
  const float* merge = document.at(merger + ".weight").as<float>().data();
  merge_first_.set({merge, dim_, q, q + dim_}, document.at(merger + ".bias").as<float>());
  merge_own_.set({merge + q, dim_, dim_, q + dim_}, {});
  merge_second_.load(document, path, name_ + "merger.fc2");
}

namespace {

DenseShape without_bias(std::size_t in, std::size_t out) { return {in, out, false}; }

}  // namespace

AttentionLayer::AttentionLayer(const TgnOptions& options, const TgnInputs& inputs,
                               std::size_t layer)
    : name_("embedding_module.attention_models." + std::to_string(layer) + "."),
      dim_(options.memory_dim),
      time_dim_(options.time_dim),
      heads_(options, inputs, query_dim() / options.heads),
      query_({dim_, query_dim()}, options.precision),
      query_time_({time_dim_, query_dim(), false}, options.precision),
      value_bias_(query_dim()),
      output_({query_dim(), query_dim()}, options.precision),
      merge_first_({query_dim(), dim_}, options.precision),
      merge_own_({dim_, dim_, false}, options.precision),
      merge_second_({dim_, dim_}, options.precision),
      key_bias_(query_dim()) {
  for (std::size_t h = 0; h < heads_.count(); ++h) {
    keys_.emplace_back(without_bias(head_dim(), width()), options.precision);
    values_.emplace_back(without_bias(width(), head_dim()), options.precision);
  }
}

void AttentionLayer::forward(const LayerInput& input, const TgnPass& pass, MatrixView<float> out) {
  heads_.begin(input, pass);
  copy_own_rows(input, own_);
  make_queries(input);
  attend(input);
  merge(*input.queries, out);
}

/// All queries have the same time encoding: phi(0).
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

void AttentionLayer::attend(const LayerInput& input) {
  for (std::size_t h = 0; h < heads_.count(); ++h) {
    keys_[h].forward(head(queries_, h), heads_.projected(h, 0, width()));
  }
  heads_.attend(input);
  values_rows_.resize(input.queries->size(), query_dim() + 1);
  for (std::size_t h = 0; h < heads_.count(); ++h) {
    values_[h].forward(heads_.sums(h, 0, width()), head(values_rows_, h));
    heads_.add_bias(h, value_bias_, head(values_rows_, h));
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
  heads_.begin_backward(input);
  values_backward(steps);
  heads_.attend_backward(input, dbelow);
  queries_backward(input, steps);
  own_backward(query_, d_queries_.view(), q.self_gradient, dbelow);
  own_backward(merge_own_, d_hidden_.view(), q.self_gradient, dbelow);
}

void AttentionLayer::queries_backward(const LayerInput& input, ParameterSteps& steps) {
  const std::size_t n = input.queries->size();
  d_queries_.resize(n, query_dim());
  for (std::size_t h = 0; h < heads_.count(); ++h) {
    const MatrixView<float> dy = heads_.d_projected(h, 0, width());
    keys_[h].backward(dy, head(d_queries_, h));
    steps.add(keys_[h], head(queries_, h), dy);
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

/// Adds dy W to those rows below that need a gradient. In a small batch they are few.
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
  for (std::size_t h = 0; h < heads_.count(); ++h) {
    const MatrixView<float> dy = head(d_values_, h);
    heads_.bias_backward(h, dy, value_bias_);
    values_[h].backward(dy, heads_.d_sums(h, 0, width()));
    steps.add(values_[h], heads_.sums(h, 0, width()), dy);
  }
  steps.add(value_bias_);
}

void AttentionLayer::visit_parameters(const ParameterVisit& each) {
  each.layer(name_ + "query", query_);
  each.layer(name_ + "query_time", query_time_);
  for (std::size_t h = 0; h < heads_.count(); ++h) {
    each.layer(name_ + "key." + std::to_string(h), keys_[h]);
    each.layer(name_ + "value." + std::to_string(h), values_[h]);
  }
  each.layer(name_ + "output", output_);
  each.layer(name_ + "merger.fc1", merge_first_);
  each.layer(name_ + "merger.own", merge_own_);
  each.layer(name_ + "merger.fc2", merge_second_);
  each.vector(name_ + "value_bias", value_bias_, true);
}

}  // namespace frugal::tgn
