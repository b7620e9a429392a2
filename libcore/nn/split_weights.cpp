#include "libcore/nn/split_weights.h"

#include <algorithm>
#include <bit>
#include <cassert>

#include "libcore/base/hash.h"
#include "libcore/kernels/gemm_blocks.h"
#include "libcore/kernels/kernels.h"
#include "libcore/nn/state_tensors.h"

namespace frugal {

SplitWeights::SplitWeights(MatrixView<const float> weights) {
  high_.resize(weights.rows, weights.cols, Precision::bf16);
  const std::size_t size = high_.halves().size();
  std::fill_n(high_.halves().data(), size, BFloat16{});
  low_ = Array<std::int16_t>(size);
  moments_ = Array<BFloat16>(2 * size);
  steps_.assign((weights.rows + kPanelColumns - 1) / kPanelColumns, 0);
  set(weights);
}

/// Where Kernels::pack_b_bf16() puts an element.
std::size_t SplitWeights::place(std::size_t row, std::size_t col) const {
  const std::size_t block = row / kTileBlock * (kTileBlock * kPanelColumns);
  const std::size_t tile = col % kPanelColumns / kPairs * (kTileBlock * kPairs);
  const std::size_t pair = row % kTileBlock / 2 * kPairs + col % kPairs;
  return col / kPanelColumns * high_.panel_size() + block + tile + 2 * pair + row % 2;
}

void SplitWeights::set(MatrixView<const float> weights) {
  assert(weights.rows == high_.k() && weights.cols == high_.n());
  for (std::size_t r = 0; r < weights.rows; ++r) {
    for (std::size_t c = 0; c < weights.cols; ++c) {
      auto bits = std::bit_cast<std::uint32_t>(weights(r, c));
      bits += (bits & 0xffffU) == 0x8000U ? 1 : 0;
      const std::size_t at = place(r, c);
      high_.halves()[at].bits = static_cast<std::uint16_t>((bits + 0x8000U) >> 16);
      low_[at] = static_cast<std::int16_t>(bits & 0xffffU);
    }
  }
}

void SplitWeights::get(MatrixView<float> weights) const {
  assert(weights.rows == high_.k() && weights.cols == high_.n());
  for (std::size_t r = 0; r < weights.rows; ++r) {
    for (std::size_t c = 0; c < weights.cols; ++c) {
      const std::size_t at = place(r, c);
      const std::uint32_t high = std::uint32_t{high_.halves()[at].bits} << 16;
      weights(r, c) = std::bit_cast<float>(high + static_cast<std::uint32_t>(low_[at]));
    }
  }
}

void SplitWeights::step_rows(std::size_t begin, MatrixView<const float> gradient, float rate,
                             const OptimizerOptions& options) {
  assert(begin % kPanelColumns == 0 && gradient.cols == high_.n());
  assert(gradient.rows % kPanelColumns == 0 || begin + gradient.rows == high_.k());
  const std::size_t first = begin / kPanelColumns;
  const std::size_t last = (begin + gradient.rows + kPanelColumns - 1) / kPanelColumns;
  const std::uint64_t step = ++steps_[first];
  std::fill(steps_.begin() + static_cast<std::ptrdiff_t>(first),
            steps_.begin() + static_cast<std::ptrdiff_t>(last), step);
  const auto [scaled_rate, epsilon] = adam_scale(options, rate, step);
  const std::size_t at = begin * kPanelColumns;
  kernels().adam_split({.high = high_.halves().data() + at,
                        .low = low_.data() + at,
                        .m = moments_.data() + at,
                        .v = moments_.data() + low_.size() + at,
                        .panel = high_.panel_size(),
                        .rows = gradient.rows,
                        .cols = gradient.cols,
                        .gradient = gradient.data,
                        .gradient_stride = gradient.stride,
                        .lr = scaled_rate,
                        .beta1 = options.beta1,
                        .beta2 = options.beta2,
                        .eps = epsilon,
                        .key = static_cast<std::uint32_t>(hash_combine(step, begin))});
}

void SplitWeights::save_state(Document& document, const std::string& name) const {
  document.tensors.push_back(
      Tensor::copy_of<BFloat16>(name, {moments_.size()}, {moments_.data(), moments_.size()}));
  save_steps(document, name, steps_.front());
}

void SplitWeights::load_state(const Document& document, const std::string& path,
                              const std::string& name) {
  const Tensor& moments = shaped_tensor(document, path, name, {moments_.size()}, Dtype::bf16);
  std::copy_n(moments.as<BFloat16>().data(), moments_.size(), moments_.data());
  steps_.assign(steps_.size(), load_steps(document, path, name));
}

}  // namespace frugal
