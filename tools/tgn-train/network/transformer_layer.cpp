#include "tools/tgn-train/network/transformer_layer.h"

#include <algorithm>

namespace frugal::tgn {
namespace {

const std::string kConv = "gnn.conv.";
const std::string kTransformerTime = "gnn.time_enc.lin";

}  // namespace

TransformerLayer::TransformerLayer(const TgnOptions& options, const TgnInputs& inputs)
    : dim_(options.memory_dim),
      time_(options.time_dim, options.train_time),
      heads_(options, inputs, dim_ / options.heads),
      query_({dim_, dim_}, options.precision),
      skip_({dim_, dim_}, options.precision),
      value_bias_(dim_),
      key_bias_(dim_),
      edge_inputs_(options.heads),
      edge_outputs_(options.heads) {
  for (std::size_t h = 0; h < heads_.count(); ++h) {
    keys_.emplace_back(DenseShape{head_dim(), dim_, false}, options.precision);
    values_.emplace_back(DenseShape{dim_, head_dim(), false}, options.precision);
    edges_.emplace_back(DenseShape{edge_width(), head_dim(), false}, options.precision);
  }
}

void TransformerLayer::forward(const LayerInput& stepped, const TgnPass& pass,
                               MatrixView<float> out) {
  const LayerInput input = with_own_time(stepped);
  const std::size_t n = input.queries->size();
  heads_.begin(input, pass);
  copy_own_rows(input, own_);
  queries_.resize(n, dim_);
  query_.forward(own_.view(), queries_.view());
  for (std::size_t h = 0; h < heads_.count(); ++h) {
    const MatrixView<float> query = head(queries_, h);
    keys_[h].forward(query, heads_.projected(h, 0, dim_));
    edges_[h].backward(query, heads_.projected(h, dim_, width()));
  }
  heads_.attend(input);
  skip_.forward(own_.view(), out);
  answers_.resize(n, head_dim());
  for (std::size_t h = 0; h < heads_.count(); ++h) {
    const MatrixView<float> values(out.data + h * head_dim(), n, head_dim(), out.stride);
    for (const bool of_edges : {false, true}) {
      const DenseLayer& layer = of_edges ? edges_[h] : values_[h];
      layer.forward(heads_.sums(h, of_edges ? dim_ : 0, of_edges ? width() : dim_),
                    answers_.view());
      for (std::size_t r = 0; r < n; ++r) {
        kernels().axpy(1, answers_.view().row(r), values.row(r), head_dim());
      }
    }
    heads_.add_bias(h, value_bias_, values);
  }
}

LayerInput TransformerLayer::with_own_time(const LayerInput& input) {
  LayerInput own = input;
  own.time = &time_;
  return own;
}

void TransformerLayer::backward(const LayerInput& stepped, MatrixView<float> dout,
                                MatrixView<float> dbelow, ParameterSteps& steps) {
  const LayerInput input = with_own_time(stepped);
  const QueryRows& q = *input.queries;
  heads_.begin_backward(input);
  values_backward(dout, steps);
  heads_.attend_backward(input, dbelow);
  keys_backward(steps);
  for (std::size_t h = 0; h < heads_.count(); ++h) edges_step(h, dout, steps);
  d_own_.resize(q.size(), dim_);
  skip_.backward(dout, d_own_.view());
  query_.backward(d_queries_.view(), d_own_.view(), 1);
  steps.add(skip_, own_.view(), dout);
  steps.add(query_, own_.view(), d_queries_.view());
  add_to_rows(d_own_.view(), q.self_gradient, dbelow);
  time_.leave_steps(steps);
}

void TransformerLayer::values_backward(MatrixView<const float> dout, ParameterSteps& steps) {
  for (std::size_t h = 0; h < heads_.count(); ++h) {
    const MatrixView<const float> dy(dout.data + h * head_dim(), dout.rows, head_dim(),
                                     dout.stride);
    heads_.bias_backward(h, dy, value_bias_);
    values_[h].backward(dy, heads_.d_sums(h, 0, dim_));
    edges_[h].backward(dy, heads_.d_sums(h, dim_, width()));
    steps.add(values_[h], heads_.sums(h, 0, dim_), dy);
  }
  steps.add(value_bias_);
}

void TransformerLayer::keys_backward(ParameterSteps& steps) {
  const std::size_t n = own_.view().rows;
  d_queries_.resize(n, dim_);
  answers_.resize(n, head_dim());
  for (std::size_t h = 0; h < heads_.count(); ++h) {
    const MatrixView<float> dy = heads_.d_projected(h, 0, dim_), d_query = head(d_queries_, h);
    keys_[h].backward(dy, d_query);
    edges_[h].forward(heads_.d_projected(h, dim_, width()), answers_.view());
    for (std::size_t r = 0; r < n; ++r) {
      kernels().axpy(1, answers_.view().row(r), d_query.row(r), head_dim());
    }
    steps.add(keys_[h], head(queries_, h), dy);
  }
}

/// W_e is used twice: in the values, y = W_e x, and in the keys, W_e^T q. The gradient of the
/// latter by W_e is that of q = W_e (gradient of the product). The rows of both uses are
/// concatenated into one step.
void TransformerLayer::edges_step(std::size_t h, MatrixView<const float> dout,
                                  ParameterSteps& steps) {
  const std::size_t n = dout.rows;
  RowStore &inputs = edge_inputs_[h], &outputs = edge_outputs_[h];
  inputs.resize(2 * n, edge_width());
  outputs.resize(2 * n, head_dim());
  const MatrixView<float> sums = heads_.sums(h, dim_, width());
  const MatrixView<float> d_projected = heads_.d_projected(h, dim_, width());
  const MatrixView<float> queries = head(queries_, h);
  for (std::size_t r = 0; r < n; ++r) {
    std::copy_n(sums.row(r), edge_width(), inputs.view().row(r));
    std::copy_n(dout.row(r) + h * head_dim(), head_dim(), outputs.view().row(r));
    std::copy_n(d_projected.row(r), edge_width(), inputs.view().row(n + r));
    std::copy_n(queries.row(r), head_dim(), outputs.view().row(n + r));
  }
  steps.add(edges_[h], inputs.view(), outputs.view());
}

void TransformerLayer::visit_parameters(const ParameterVisit& each) {
  each.layer(kConv + "query", query_);
  each.layer(kConv + "skip", skip_);
  for (std::size_t h = 0; h < heads_.count(); ++h) {
    const std::string head = "." + std::to_string(h);
    each.layer(kConv + "key" + head, keys_[h]);
    each.layer(kConv + "value" + head, values_[h]);
    each.layer(kConv + "edge" + head, edges_[h]);
  }
  each.vector(kConv + "value_bias", value_bias_, true);
  time_.visit_parameters(each, kTransformerTime);
}

/// Draws initial weights as PyTorch Geometric's layers do.
void TransformerLayer::randomize(std::uint64_t seed, std::uint64_t stream) {
  Document document;
  const auto draw = [&](const char* name, std::size_t in, bool bias, std::uint64_t number) {
    DenseLayer layer({in, dim_, bias}, Precision::f32);
    layer.randomize_uniform(seed, stream + number);
    layer.save(document, kConv + name);
  };
  draw("lin_query", dim_, true, 0);
  draw("lin_key", dim_, true, 1);
  draw("lin_value", dim_, true, 2);
  draw("lin_edge", edge_width(), false, 3);
  draw("lin_skip", dim_, true, 4);
  time_.randomize(seed, stream + 5);
  time_.save(document, kTransformerTime);
  load(document, "");
}

void TransformerLayer::save(Document& document) const {
  query_.save(document, kConv + "lin_query");
  skip_.save(document, kConv + "lin_skip");
  std::vector<float> keys(dim_ * dim_), values(dim_ * dim_), edges(dim_ * edge_width());
  std::vector<float> transposed(dim_ * head_dim());
  for (std::size_t h = 0; h < heads_.count(); ++h) {
    const std::size_t row = h * head_dim();
    keys_[h].get({transposed.data(), dim_, head_dim()}, {});
    kernels().transpose(transposed.data(), head_dim(), head_dim(), dim_, keys.data() + row * dim_,
                        dim_);
    values_[h].get({values.data() + row * dim_, head_dim(), dim_}, {});
    edges_[h].get({edges.data() + row * edge_width(), head_dim(), edge_width()}, {});
  }
  const auto add = [&](const char* name, const Shape& shape, std::span<const float> numbers) {
    document.tensors.push_back(Tensor::copy_of<float>(kConv + name, shape, numbers));
  };
  add("lin_key.weight", {dim_, dim_}, keys);
  add("lin_key.bias", {dim_}, key_bias_);
  add("lin_value.weight", {dim_, dim_}, values);
  add("lin_value.bias", {dim_}, value_bias_.values());
  add("lin_edge.weight", {dim_, edge_width()}, edges);
  time_.save(document, kTransformerTime);
}

void TransformerLayer::load(const Document& document, const std::string& path) {
  query_.load(document, path, kConv + "lin_query");
  skip_.load(document, path, kConv + "lin_skip");
  const auto take = [&](const char* name, const Shape& shape) {
    return shaped_tensor(document, path, kConv + name, shape).as<float>();
  };
  const float* keys = take("lin_key.weight", {dim_, dim_}).data();
  const float* values = take("lin_value.weight", {dim_, dim_}).data();
  const float* edges = take("lin_edge.weight", {dim_, edge_width()}).data();
  std::copy_n(take("lin_key.bias", {dim_}).data(), dim_, key_bias_.data());
  std::copy_n(take("lin_value.bias", {dim_}).data(), dim_, value_bias_.values().data());
  std::vector<float> transposed(dim_ * head_dim());
  for (std::size_t h = 0; h < heads_.count(); ++h) {
    const std::size_t row = h * head_dim();
    kernels().transpose(keys + row * dim_, dim_, dim_, head_dim(), transposed.data(), head_dim());
    keys_[h].set({transposed.data(), dim_, head_dim()}, {});
    values_[h].set({values + row * dim_, head_dim(), dim_}, {});
    edges_[h].set({edges + row * edge_width(), head_dim(), edge_width()}, {});
  }
  time_.load(document, path, kTransformerTime);
}

}  // namespace frugal::tgn
