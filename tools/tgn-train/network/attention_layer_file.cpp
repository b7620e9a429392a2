// The names and shapes that PyTorch's multi-head attention has, in which heads lie behind each
// other.
#include <algorithm>

#include "libcore/nn/init.h"
#include "libcore/nn/state_tensors.h"
#include "tools/tgn-train/network/attention_layer.h"

namespace frugal::tgn {

/// As PyTorch's multi-head attention and TGN's merge layers begin.
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

}  // namespace frugal::tgn
