// The names and shapes that PyTorch's multi-head attention has, in which heads lie behind each
// other.
#include <algorithm>

#include "libcore/nn/state_tensors.h"
#include "tools/tgn-train/network/attention_layer.h"

namespace frugal {

void AttentionLayer::save(Document& document) const {
  const std::string target = name_ + "multi_head_target.";
  const std::size_t q = query_dim();
  const auto add = [&](const std::string& name, const Shape& shape, std::span<const float> values) {
    document.tensors.push_back(Tensor::copy_of<float>(target + name, shape, values));
  };
  std::vector<float> weights(q * q), in_bias(3 * q);
  query_.get({weights.data(), q, q}, {in_bias.data(), q});
  add("q_proj_weight", {q, q}, weights);
  std::copy(key_bias_.begin(), key_bias_.end(), in_bias.begin() + static_cast<std::ptrdiff_t>(q));
  std::copy_n(value_bias_.values().data(), q, in_bias.data() + 2 * q);
  add("in_proj_bias", {3 * q}, in_bias);
  std::vector<float> keys(q * width()), values(q * width()), transposed(width() * head_dim());
  for (std::size_t h = 0; h < heads_; ++h) {
    float* rows = keys.data() + h * head_dim() * width();
    keys_[h].get({transposed.data(), width(), head_dim()}, {});
    kernels().transpose(transposed.data(), head_dim(), head_dim(), width(), rows, width());
    values_[h].get({values.data() + h * head_dim() * width(), head_dim(), width()}, {});
  }
  add("k_proj_weight", {q, width()}, keys);
  add("v_proj_weight", {q, width()}, values);
  output_.save(document, target + "out_proj");
  merge_first_.save(document, name_ + "merger.fc1");
  merge_second_.save(document, name_ + "merger.fc2");
}

void AttentionLayer::load(const Document& document, const std::string& path) {
  const std::string target = name_ + "multi_head_target.";
  const std::size_t q = query_dim();
  const auto take = [&](const std::string& name, const Shape& shape) {
    return shaped_tensor(document, path, target + name, shape).as<float>();
  };
  const std::span<const float> in_bias = take("in_proj_bias", {3 * q});
  query_.set({take("q_proj_weight", {q, q}).data(), q, q}, in_bias.subspan(0, q));
  std::copy_n(in_bias.data() + q, q, key_bias_.data());
  std::copy_n(in_bias.data() + 2 * q, q, value_bias_.values().data());
  const float* keys = take("k_proj_weight", {q, width()}).data();
  const float* values = take("v_proj_weight", {q, width()}).data();
  std::vector<float> transposed(width() * head_dim());
  for (std::size_t h = 0; h < heads_; ++h) {
    const std::size_t begin = h * head_dim() * width();
    kernels().transpose(keys + begin, width(), width(), head_dim(), transposed.data(), head_dim());
    keys_[h].set({transposed.data(), width(), head_dim()}, {});
    values_[h].set({values + begin, head_dim(), width()}, {});
  }
  output_.load(document, path, target + "out_proj");
  merge_first_.load(document, path, name_ + "merger.fc1");
  merge_second_.load(document, path, name_ + "merger.fc2");
}

}  // namespace frugal
