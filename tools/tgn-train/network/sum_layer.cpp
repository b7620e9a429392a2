#include "tools/tgn-train/network/sum_layer.h"

#include <algorithm>

namespace frugal::tgn {
namespace {

/// Permutes the columns of a matrix: to(r, c) = from(r, order[c]), or the inverse with `back`.
std::vector<float> reordered(MatrixView<const float> from, const std::vector<std::size_t>& order,
                             bool back) {
  std::vector<float> to(from.rows * from.cols);
  for (std::size_t r = 0; r < from.rows; ++r) {
    for (std::size_t c = 0; c < from.cols; ++c) {
      (back ? to[r * from.cols + order[c]] : to[r * from.cols + c]) =
          back ? from(r, c) : from(r, order[c]);
    }
  }
  return to;
}

}  // namespace

SumLayer::SumLayer(const TgnOptions& options, const TgnInputs& inputs, std::size_t layer)
    : first_name_("embedding_module.linear_1." + std::to_string(layer)),
      second_name_("embedding_module.linear_2." + std::to_string(layer)),
      dim_(options.memory_dim),
      time_dim_(options.time_dim),
      neighbors_(dim_, inputs.edge_features, time_dim_),
      first_({neighbors_.width(), dim_}, options.precision),
      second_({2 * dim_ + time_dim_, dim_}, options.precision) {
  for (std::size_t c = 0; c < neighbors_.width(); ++c) {
    const std::size_t edge_end = dim_ + inputs.edge_features;
    file_column_.push_back(c < dim_ ? c : c < edge_end ? c + time_dim_ : c - inputs.edge_features);
  }
}

void SumLayer::randomize(std::uint64_t seed, std::uint64_t stream) {
  first_.randomize_uniform(seed, stream);
  second_.randomize_uniform(seed, stream + 1);
}

/// Describes an attention with zero queries, which gives all neighbours the same weight.
Attention SumLayer::describe(const LayerInput& input, MatrixView<float> dbelow) {
  Attention attention;
  neighbors_.describe(input, dbelow, attention);
  const MatrixView<float> zeros = zeros_.view(), sums = sums_.view();
  attention.heads = 1;
  attention.query = zeros.data;
  attention.query_stride = zeros.stride;
  attention.weights = weights_.data();
  attention.out = sums.data;
  attention.out_stride = sums.stride;
  return attention;
}

void SumLayer::forward(const LayerInput& input, const TgnPass&, MatrixView<float> out) {
  const QueryRows& q = *input.queries;
  const std::size_t width = neighbors_.width();
  neighbors_.fill(input);
  weights_.resize(q.neighbors.size());
  zeros_.resize(q.size(), width);
  sums_.resize(q.size(), width + 1);
  merged_.resize(q.size(), 2 * dim_ + time_dim_ + 1);
  for (std::size_t r = 0; r < q.size(); ++r) std::fill_n(zeros_.view().row(r), width, 0.0F);
  kernels().attention_forward(describe(input, {}));
  const MatrixView<float> phi = merged_.columns(2 * dim_, 2 * dim_ + time_dim_);
  for (std::size_t r = 0; r < q.size(); ++r) {
    const auto count = static_cast<float>(q.offsets[r + 1] - q.offsets[r]);
    kernels().scale(count, sums_.view().row(r), width);
    sums_.view()(r, width) = count;
    std::copy_n(input.below.row(q.self[r]), dim_, merged_.view().row(r) + dim_);
    merged_.view()(r, 2 * dim_ + time_dim_) = 1;
  }
  const std::vector<double> now(q.size());
  input.time->encode(now, phi);
  first_.forward(sums_.view(), merged_.columns(0, dim_));
  for (std::size_t r = 0; r < q.size(); ++r) kernels().relu(merged_.view().row(r), dim_);
  second_.forward(merged_.view(), out);
}

void SumLayer::backward(const LayerInput& input, MatrixView<float> dout, MatrixView<float> dbelow,
                        ParameterSteps& steps) {
  const QueryRows& q = *input.queries;
  const std::size_t width = neighbors_.width();
  d_merged_.resize(q.size(), 2 * dim_ + time_dim_);
  d_sums_.resize(q.size(), width);
  ignored_.resize(q.size(), width);
  steps.add(second_, merged_.view(), dout);
  second_.backward(dout, d_merged_.view());
  for (std::size_t r = 0; r < q.size(); ++r) {
    kernels().relu_backward(merged_.view().row(r), d_merged_.view().row(r), dim_);
  }
  const MatrixView<float> d_first = d_merged_.columns(0, dim_);
  steps.add(first_, sums_.view(), d_first);
  first_.backward(d_first, d_sums_.view());
  std::vector<float> phi(time_dim_);
  for (std::size_t r = 0; r < q.size(); ++r) {
    // The kernel's attention weights are 1 / count.
    kernels().scale(static_cast<float>(q.offsets[r + 1] - q.offsets[r]), d_sums_.view().row(r),
                    width);
    kernels().axpy(1, d_merged_.view().row(r) + 2 * dim_, phi.data(), time_dim_);
  }
  const MatrixView<float> d_sums = d_sums_.view(), ignored = ignored_.view();
  kernels().attention_backward(describe(input, dbelow), d_sums.data, d_sums.stride, nullptr,
                               ignored.data, ignored.stride);
  neighbors_.finish_backward(input);
  input.time->add_gradient_at_zero(phi);
  add_to_rows(d_merged_.columns(dim_, 2 * dim_), q.self_gradient, dbelow);
}

void SumLayer::visit_parameters(const ParameterVisit& each) {
  each.layer(first_name_, first_);
  each.layer(second_name_, second_);
}

void SumLayer::save(Document& document) const {
  std::vector<float> weights(dim_ * neighbors_.width()), bias(dim_);
  first_.get({weights.data(), dim_, neighbors_.width()}, bias);
  weights = reordered({weights.data(), dim_, neighbors_.width()}, file_column_, true);
  document.tensors.push_back(
      Tensor::copy_of<float>(first_name_ + ".weight", {dim_, neighbors_.width()}, weights));
  document.tensors.push_back(Tensor::copy_of<float>(first_name_ + ".bias", {dim_}, bias));
  second_.save(document, second_name_);
}

void SumLayer::load(const Document& document, const std::string& path) {
  const std::size_t width = neighbors_.width();
  DenseLayer::check(document, path, first_name_, first_.shape());
  const std::vector<float> weights = reordered(
      {document.at(first_name_ + ".weight").as<float>().data(), dim_, width}, file_column_, false);
  first_.set({weights.data(), dim_, width}, document.at(first_name_ + ".bias").as<float>());
  second_.load(document, path, second_name_);
}

}  // namespace frugal::tgn
