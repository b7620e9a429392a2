#include "tools/gnn-sample/layers/edge_attention.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "libcore/kernels/kernels.h"

namespace frugal::gnn {

void LoopedBlock::assign(const Block& from) {
  offsets.resize(std::size_t{from.targets} + 1);
  for_each_chunk(from.targets, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const auto t = static_cast<std::uint32_t>(i);
      const std::span<const std::uint32_t> row = from.row(t);
      offsets[i + 1] = static_cast<std::uint32_t>(row.size() + 1) -
                       static_cast<std::uint32_t>(std::count(row.begin(), row.end(), t));
    }
  });
  offsets[0] = 0;
  std::partial_sum(offsets.begin(), offsets.end(), offsets.begin());
  neighbors.resize(offsets.back());
  for_each_chunk(from.targets, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const auto t = static_cast<std::uint32_t>(i);
      const std::span<const std::uint32_t> row = from.row(t);
      *std::remove_copy(row.begin(), row.end(), neighbors.begin() + offsets[i], t) = t;
    }
  });
  block = {from.targets, from.sources, offsets.data(), neighbors.data()};
}

void EdgeAttention::assign(const Block& block, std::size_t heads, const Dropout& dropout) {
  block_ = block;
  heads_ = heads;
  dropout_ = dropout;
  source_.resize(block.sources * heads);
  target_.resize(block.targets, heads);
  alpha_.resize(block.num_edges() * heads);
  kept_.resize(dropout.active() ? alpha_.size() : 0);
}

void EdgeAttention::attend(std::size_t begin, std::size_t end) {
  for (std::size_t t = begin; t < end; ++t) {
    const float* const target = target_.view().row(t);
    for (std::size_t e = block_.offsets[t]; e < block_.offsets[t + 1]; ++e) {
      for (std::size_t k = 0; k < heads_; ++k) {
        const float z = source_[block_.neighbors[e] * heads_ + k] + target[k];
        edge_logit(e)[k] = z > 0 ? z : kAttentionSlope * z;
      }
    }
    attend_by_logits(t);
  }
}

void EdgeAttention::attend_by_logits(std::size_t t) {
  const std::size_t first = block_.offsets[t], last = block_.offsets[t + 1];
  for (std::size_t k = 0; k < heads_; ++k) {
    float largest = -std::numeric_limits<float>::infinity(), sum = 0;
    for (std::size_t e = first; e < last; ++e) {
      largest = std::max(largest, alpha_[e * heads_ + k]);
    }
    for (std::size_t e = first; e < last; ++e) {
      sum += alpha_[e * heads_ + k] = std::exp(alpha_[e * heads_ + k] - largest);
    }
    for (std::size_t e = first; e < last; ++e) alpha_[e * heads_ + k] /= sum;
  }
  if (!dropout_.active()) return;
  std::copy(alpha_.begin() + static_cast<std::ptrdiff_t>(first * heads_),
            alpha_.begin() + static_cast<std::ptrdiff_t>(last * heads_),
            kept_.begin() + static_cast<std::ptrdiff_t>(first * heads_));
  dropout_.apply(t, {kept_.data() + first * heads_, (last - first) * heads_});
}

/// factors: [edges, heads]. out: [end - begin, columns of h].
void EdgeAttention::sum_heads(MatrixView<const float> h, const std::vector<float>& factors,
                              std::size_t begin, std::size_t end, MatrixView<float> out) const {
  const std::size_t columns = h.cols / heads_;
  for (std::size_t k = 0; k < heads_; ++k) {
    kernels().segment_sum({.table = h.data + k * columns,
                           .stride = h.stride,
                           .dim = columns,
                           .rows = block_.neighbors + block_.offsets[begin],
                           .offsets = block_.offsets + begin,
                           .num_segments = end - begin,
                           .weights = factors.data() + block_.offsets[begin] * heads_ + k,
                           .weight_stride = heads_,
                           .out = out.data + k * columns,
                           .out_stride = out.stride});
  }
}

void EdgeAttention::combine(MatrixView<const float> h, std::size_t begin, std::size_t end,
                            MatrixView<float> out) const {
  if (out.cols == h.cols) return sum_heads(h, weights(), begin, end, out);
  const MatrixView<float> all = working_rows(end - begin, h.cols);
  sum_heads(h, weights(), begin, end, all);
  for (std::size_t t = 0; t < out.rows; ++t) {
    std::fill_n(out.row(t), out.cols, 0.0F);
    for (std::size_t k = 0; k < heads_; ++k) {
      kernels().axpy(1.0F / static_cast<float>(heads_), all.row(t) + k * out.cols, out.row(t),
                     out.cols);
    }
  }
}

void EdgeAttention::spread(MatrixView<const float> gradient, MatrixView<float> dsums) const {
  const bool is_mean = gradient.cols != dsums.cols;
  const std::size_t columns = dsums.cols / heads_;
  const float share = is_mean ? 1 / static_cast<float>(heads_) : 1;
  for (std::size_t t = 0; t < gradient.rows; ++t) {
    for (std::size_t k = 0; k < heads_; ++k) {
      const float* const from = gradient.row(t) + (is_mean ? 0 : k * columns);
      float* const to = dsums.row(t) + k * columns;
      for (std::size_t i = 0; i < columns; ++i) to[i] = share * from[i];
    }
  }
}

void EdgeAttention::prepare_backward(bool transposes) {
  dlogits_.resize(alpha_.size());
  dtarget_.resize(block_.targets, heads_);
  if (transposes) transposed_.assign(block_);
}

void EdgeAttention::backward(MatrixView<const float> h, MatrixView<const float> dsums,
                             std::size_t begin, std::size_t end) {
  for (std::size_t t = begin; t < end; ++t) {
    weight_gradients(h, dsums, t);
    finish_target(t);
  }
}

void EdgeAttention::weight_gradients(MatrixView<const float> h, MatrixView<const float> dsums,
                                     std::size_t t) {
  const std::size_t columns = h.cols / heads_;
  const float* const dsum = dsums.row(t);
  for (std::size_t e = block_.offsets[t]; e < block_.offsets[t + 1]; ++e) {
    const float* const row = h.row(block_.neighbors[e]);
    for (std::size_t k = 0; k < heads_; ++k) {
      edge_gradient(e)[k] = kernels().dot(dsum + k * columns, row + k * columns, columns);
    }
  }
}

void EdgeAttention::logit_gradients(std::size_t t) {
  const std::size_t first = block_.offsets[t], last = block_.offsets[t + 1];
  dropout_.apply(t, {dlogits_.data() + first * heads_, (last - first) * heads_});
  for (std::size_t k = 0; k < heads_; ++k) {
    float mean = 0;
    for (std::size_t i = first * heads_ + k; i < last * heads_; i += heads_) {
      mean += alpha_[i] * dlogits_[i];
    }
    for (std::size_t i = first * heads_ + k; i < last * heads_; i += heads_) {
      dlogits_[i] = alpha_[i] * (dlogits_[i] - mean);
    }
  }
}

void EdgeAttention::finish_target(std::size_t t) {
  logit_gradients(t);
  const float* const target = target_.view().row(t);
  float* const dtarget = dtarget_.view().row(t);
  for (std::size_t k = 0; k < heads_; ++k) {
    float sum = 0;
    for (std::size_t e = block_.offsets[t]; e < block_.offsets[t + 1]; ++e) {
      const float z = source_[block_.neighbors[e] * heads_ + k] + target[k];
      sum += dlogits_[e * heads_ + k] *= z > 0 ? 1 : kAttentionSlope;
    }
    dtarget[k] = sum;
  }
}

/// factors: [edges, heads]. out: [end - begin, columns of rows].
void EdgeAttention::sum_transposed(MatrixView<const float> rows, const std::vector<float>& factors,
                                   std::size_t begin, std::size_t end,
                                   MatrixView<float> out) const {
  const std::size_t columns = rows.cols / heads_;
  const std::size_t first = transposed_.offsets[begin], last = transposed_.offsets[end];
  thread_local std::vector<float> ordered;
  ordered.resize(std::max(ordered.size(), (last - first) * heads_));
  for (std::size_t i = first; i < last; ++i) {
    std::copy_n(factors.data() + transposed_.edges[i] * heads_, heads_,
                ordered.data() + (i - first) * heads_);
  }
  for (std::size_t k = 0; k < heads_; ++k) {
    kernels().segment_sum({.table = rows.data + k * columns,
                           .stride = rows.stride,
                           .dim = columns,
                           .rows = transposed_.targets.data() + first,
                           .offsets = transposed_.offsets.data() + begin,
                           .num_segments = end - begin,
                           .weights = ordered.data() + k,
                           .weight_stride = heads_,
                           .out = out.data + k * columns,
                           .out_stride = out.stride});
  }
}

void EdgeAttention::source_gradient(std::size_t s, std::span<float> to) const {
  for (std::size_t k = 0; k < to.size(); ++k) {
    float sum = 0;
    for (std::size_t i = transposed_.offsets[s]; i < transposed_.offsets[s + 1]; ++i) {
      sum += dlogits_[transposed_.edges[i] * heads_ + k];
    }
    to[k] = sum;
  }
}

void multiply_heads(MatrixView<const float> attention, const float* h, std::span<float> to) {
  const std::size_t out = attention.cols / to.size();
  const auto dot = kernels().dot;
  for (std::size_t k = 0; k < to.size(); ++k) {
    to[k] = dot(h + k * out, attention.data + k * out, out);
  }
}

void add_head_gradients(MatrixView<const float> attention, std::span<const float> gradients,
                        const float* h, float* dh, MatrixView<float> dattention) {
  const std::size_t out = attention.cols / gradients.size();
  for (std::size_t k = 0; k < gradients.size(); ++k) {
    const std::size_t at = k * out;
    kernels().axpy(gradients[k], attention.data + at, dh + at, out);
    kernels().axpy(gradients[k], h + at, dattention.data + at, out);
  }
}

}  // namespace frugal::gnn
