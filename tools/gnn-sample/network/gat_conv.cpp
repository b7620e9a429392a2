#include "tools/gnn-sample/network/gat_conv.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "libcore/kernels/kernels.h"
#include "libcore/nn/init.h"
#include "tools/gnn-sample/network/activation.h"
#include "tools/gnn-sample/network/row_chunks.h"

namespace frugal::gnn {
GatConv::GatConv(const GatShape& shape)
    : shape_(shape),
      weights_(shape.in, shape.heads * shape.out, shape.precision),
      att_source_(1, shape.heads * shape.out),
      att_target_(1, shape.heads * shape.out),
      bias_(shape.bias ? 1 : 0, shape.concatenate ? shape.heads * shape.out : shape.out) {}

std::unique_ptr<ConvRoom> GatConv::make_room() const { return std::make_unique<Room>(); }

void GatConv::randomize(std::uint64_t seed, std::uint64_t stream) {
  weights_.randomize(glorot_bound(weights_.in(), weights_.out()), seed, stream);
  const double bound = glorot_bound(shape_.heads, shape_.out);
  att_source_.randomize(bound, seed, stream + 1);
  att_target_.randomize(bound, seed, stream + 2);
}

void GatConv::Room::add_self_edges(const Block& from) {
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

/// h, and its products with both halves of the attention.
void GatConv::transform(const ConvInput& input, Room& r) const {
  const std::size_t heads = shape_.heads, out = shape_.out;
  r.h.resize(r.block.sources, width());
  r.source.resize(r.block.sources * heads);
  r.target.resize(r.block.targets * heads);
  for_each_chunk(r.block.sources, [&](std::size_t begin, std::size_t end) {
    multiply_rows(input.rows, begin, weights_, r.h.view().rows_between(begin, end));
    for (std::size_t s = begin; s < end; ++s) {
      const float* h = r.h.view().row(s);
      for (std::size_t k = 0; k < heads; ++k) {
        const float* head = h + k * out;
        r.source[s * heads + k] = kernels().dot(head, att_source_.values().data + k * out, out);
        if (s >= r.block.targets) continue;
        r.target[s * heads + k] = kernels().dot(head, att_target_.values().data + k * out, out);
      }
    }
  });
}

/// The weights of the edges of targets [begin, end).
void GatConv::attend(const ConvInput& input, Room& r, std::size_t begin, std::size_t end) const {
  const std::size_t heads = shape_.heads;
  const Dropout dropout(shape_.attention_dropout, input.pass, kAttentionStream + input.layer);
  for (std::size_t t = begin; t < end; ++t) {
    const std::size_t first = r.offsets[t], last = r.offsets[t + 1];
    for (std::size_t k = 0; k < heads; ++k) {
      float largest = -std::numeric_limits<float>::infinity(), sum = 0;
      for (std::size_t e = first; e < last; ++e) {
        const float z = r.source[r.neighbors[e] * heads + k] + r.target[t * heads + k];
        r.alpha[e * heads + k] = z > 0 ? z : kSlope * z;
        largest = std::max(largest, r.alpha[e * heads + k]);
      }
      for (std::size_t e = first; e < last; ++e) {
        sum += r.alpha[e * heads + k] = std::exp(r.alpha[e * heads + k] - largest);
      }
      for (std::size_t e = first; e < last; ++e) r.alpha[e * heads + k] /= sum;
    }
    if (!dropout.active()) continue;
    std::copy(r.alpha.begin() + static_cast<std::ptrdiff_t>(first * heads),
              r.alpha.begin() + static_cast<std::ptrdiff_t>(last * heads),
              r.kept.begin() + static_cast<std::ptrdiff_t>(first * heads));
    dropout.apply(t, {r.kept.data() + first * heads, (last - first) * heads});
  }
}

/// out: [end - begin, heads * out].
void GatConv::gather_heads(const Room& r, std::size_t begin, std::size_t end,
                           MatrixView<float> out) const {
  const std::size_t heads = shape_.heads;
  const std::vector<float>& weights = r.kept.empty() ? r.alpha : r.kept;
  for (std::size_t k = 0; k < heads; ++k) {
    kernels().segment_sum({.table = r.h.view().data + k * shape_.out,
                           .stride = r.h.view().stride,
                           .dim = shape_.out,
                           .rows = r.neighbors.data() + r.offsets[begin],
                           .offsets = r.offsets.data() + begin,
                           .num_segments = end - begin,
                           .weights = weights.data() + r.offsets[begin] * heads + k,
                           .weight_stride = heads,
                           .out = out.data + k * shape_.out,
                           .out_stride = out.stride});
  }
}

void GatConv::forward(const ConvInput& input, ConvRoom& room, MatrixView<float> out,
                      const RowsDone& done) const {
  auto& r = static_cast<Room&>(room);
  r.add_self_edges(input.block);
  const std::size_t heads = shape_.heads;
  const bool drops =
      Dropout(shape_.attention_dropout, input.pass, kAttentionStream + input.layer).active();
  r.alpha.resize(r.neighbors.size() * heads);
  r.kept.resize(drops ? r.alpha.size() : 0);
  r.sums_first = gains_by_sums_first(input.rows, input.block);
  if (r.sums_first) return forward_sums_first(input, r, out, done);
  transform(input, r);
  for_each_chunk(r.block.targets, [&](std::size_t begin, std::size_t end) {
    attend(input, r, begin, end);
    const MatrixView<float> rows = out.rows_between(begin, end);
    if (shape_.concatenate) {
      gather_heads(r, begin, end, rows);
    } else {
      const MatrixView<float> all = working_rows(end - begin, width());
      gather_heads(r, begin, end, all);
      for (std::size_t t = 0; t < rows.rows; ++t) {
        std::fill_n(rows.row(t), rows.cols, 0.0F);
        for (std::size_t k = 0; k < heads; ++k) {
          kernels().axpy(1.0F / static_cast<float>(heads), all.row(t) + k * shape_.out, rows.row(t),
                         shape_.out);
        }
      }
    }
    add_bias(bias_, rows);
    done(begin, end);
  });
}

void GatConv::backward(const ConvInput& input, ConvRoom& room, const OutputGradient& gradient) {
  auto& r = static_cast<Room&>(room);
  const std::size_t heads = shape_.heads;
  r.dlogits.resize(r.alpha.size());
  r.dtarget.resize(r.target.size());
  if (r.sums_first) return backward_sums_first(input, r, gradient);
  r.dout.resize(r.block.targets, width());
  for_each_grouped_chunk(
      r.block.targets, [&](std::size_t group, std::size_t begin, std::size_t end) {
        const MatrixView<float> dy = working_rows(end - begin, num_outputs());
        gradient(begin, end, dy);
        add_bias_gradient(bias_, group, dy);
        const float share = shape_.concatenate ? 1 : 1 / static_cast<float>(heads);
        for (std::size_t t = begin; t < end; ++t) {
          for (std::size_t k = 0; k < heads; ++k) {
            const float* from = dy.row(t - begin) + (shape_.concatenate ? k * shape_.out : 0);
            float* to = r.dout.view().row(t) + k * shape_.out;
            for (std::size_t i = 0; i < shape_.out; ++i) to[i] = share * from[i];
          }
        }
        attend_backward(input, r, begin, end);
      });
  r.transposed.assign(r.block);
  const bool sparse = input.rows.sparse(), keeps = input.wants_gradient || sparse;
  if (keeps) r.dh.resize(r.block.sources, width());
  for_each_grouped_chunk(
      r.block.sources, [&](std::size_t group, std::size_t begin, std::size_t end) {
        const MatrixView<float> dh =
            keeps ? r.dh.view().rows_between(begin, end) : working_rows(end - begin, width());
        source_gradient(r, begin, end, dh);
        add_source_gradients(r, group, begin, dh);
        if (sparse) return;
        const MatrixView<float> x = working_rows(dh.rows, weights_.in(), 1);
        input.rows.copy(begin, end, x);
        weights_.add_gradient(group, x, dh);
      });
  if (!sparse) return;
  r.columns.assign(input.rows, r.block.sources);
  r.columns.add_products(r.dh.view(), weights_.gradient(0));
}

/// From the gradients of the sums of targets [begin, end) to those of their edges' logits.
void GatConv::attend_backward(const ConvInput& input, Room& r, std::size_t begin,
                              std::size_t end) const {
  const std::size_t heads = shape_.heads, out = shape_.out;
  const Dropout dropout(shape_.attention_dropout, input.pass, kAttentionStream + input.layer);
  for (std::size_t t = begin; t < end; ++t) {
    const std::size_t first = r.offsets[t], last = r.offsets[t + 1];
    const float* dout = r.dout.view().row(t);
    for (std::size_t e = first; e < last; ++e) {
      const float* h = r.h.view().row(r.neighbors[e]);
      for (std::size_t k = 0; k < heads; ++k) {
        r.dlogits[e * heads + k] = kernels().dot(dout + k * out, h + k * out, out);
      }
    }
    logit_gradient(dropout, r, t);
  }
}

/// From the gradients of the weights of t's edges, in r.dlogits, to those of their logits.
void GatConv::logit_gradient(const Dropout& dropout, Room& r, std::size_t t) const {
  const std::size_t heads = shape_.heads;
  const std::size_t first = r.offsets[t], last = r.offsets[t + 1];
  dropout.apply(t, {r.dlogits.data() + first * heads, (last - first) * heads});
  for (std::size_t k = 0; k < heads; ++k) {
    float mean = 0, sum = 0;
    for (std::size_t i = first * heads + k; i < last * heads; i += heads) {
      mean += r.alpha[i] * r.dlogits[i];
    }
    for (std::size_t e = first; e < last; ++e) {
      const float z = r.source[r.neighbors[e] * heads + k] + r.target[t * heads + k];
      float& d = r.dlogits[e * heads + k];
      d = r.alpha[e * heads + k] * (d - mean) * (z > 0 ? 1 : kSlope);
      sum += d;
    }
    r.dtarget[t * heads + k] = sum;
  }
}

/// dh of sources [begin, end): by the sums they are in and by their attention.
void GatConv::source_gradient(const Room& r, std::size_t begin, std::size_t end,
                              MatrixView<float> dh) const {
  const std::size_t heads = shape_.heads, out = r.dout.view().cols / heads;
  const std::vector<float>& weights = r.kept.empty() ? r.alpha : r.kept;
  const std::size_t first = r.transposed.offsets[begin], last = r.transposed.offsets[end];
  thread_local std::vector<float> ordered;
  ordered.resize(std::max(ordered.size(), (last - first) * heads));
  for (std::size_t i = first; i < last; ++i) {
    std::copy_n(weights.data() + r.transposed.edges[i] * heads, heads,
                ordered.data() + (i - first) * heads);
  }
  for (std::size_t k = 0; k < heads; ++k) {
    kernels().segment_sum({.table = r.dout.view().data + k * out,
                           .stride = r.dout.view().stride,
                           .dim = out,
                           .rows = r.transposed.targets.data() + first,
                           .offsets = r.transposed.offsets.data() + begin,
                           .num_segments = end - begin,
                           .weights = ordered.data() + k,
                           .weight_stride = heads,
                           .out = dh.data + k * out,
                           .out_stride = dh.stride});
  }
}

/// Adds what attention gives to dh, and the gradients of attention by the sources.
void GatConv::add_source_gradients(const Room& r, std::size_t group, std::size_t begin,
                                   MatrixView<float> dh) {
  const std::size_t heads = shape_.heads, out = shape_.out;
  float* dsource = att_source_.gradient(group).data;
  float* dtarget = att_target_.gradient(group).data;
  for (std::size_t s = begin; s < begin + dh.rows; ++s) {
    const float* h = r.h.view().row(s);
    float* gradient = dh.row(s - begin);
    for (std::size_t k = 0; k < heads; ++k) {
      float sum = 0;
      for (std::size_t i = r.transposed.offsets[s]; i < r.transposed.offsets[s + 1]; ++i) {
        sum += r.dlogits[r.transposed.edges[i] * heads + k];
      }
      const std::size_t at = k * out;
      kernels().axpy(sum, att_source_.values().data + at, gradient + at, out);
      kernels().axpy(sum, h + at, dsource + at, out);
      if (s >= r.block.targets) continue;
      const float own = r.dtarget[s * heads + k];
      kernels().axpy(own, att_target_.values().data + at, gradient + at, out);
      kernels().axpy(own, h + at, dtarget + at, out);
    }
  }
}

void GatConv::input_gradient(const ConvInput&, const ConvRoom& room, std::size_t begin,
                             std::size_t end, MatrixView<float> rows) const {
  const auto& r = static_cast<const Room&>(room);
  if (r.sums_first) return input_gradient_sums_first(r, begin, end, rows);
  weights_.multiply_transposed(r.dh.view().rows_between(begin, end), rows);
}

std::vector<ParameterTensor> GatConv::tensors() {
  const Shape attention = {1, shape_.heads, shape_.out};
  std::vector<ParameterTensor> all = {{"att_src", &att_source_, attention},
                                      {"att_dst", &att_target_, attention},
                                      {"lin.weight", &weights_, {width(), shape_.in}}};
  if (bias_.size() != 0) all.push_back({"bias", &bias_, {bias_.out()}});
  return all;
}

}  // namespace frugal::gnn
