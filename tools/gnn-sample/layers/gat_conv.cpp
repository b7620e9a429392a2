#include "tools/gnn-sample/layers/gat_conv.h"

#include <algorithm>

#include "libcore/kernels/kernels.h"
#include "libcore/nn/init.h"
#include "tools/gnn-sample/layers/activation.h"
#include "tools/gnn-sample/layers/row_chunks.h"

namespace frugal::gnn {
GatConv::GatConv(const GatShape& shape)
    : shape_(shape),
      weights_(shape.in, shape.heads * shape.out, shape.precision),
      att_source_(1, shape.width()),
      att_target_(1, shape.width()),
      bias_(shape.bias ? 1 : 0, shape.outputs()) {}

std::unique_ptr<ConvRoom> GatConv::make_room() const { return std::make_unique<Room>(); }

void GatConv::randomize(std::uint64_t seed, std::uint64_t stream) {
  weights_.randomize(glorot_bound(weights_.in(), weights_.out()), seed, stream);
  const double bound = glorot_bound(shape_.heads, shape_.out);
  att_source_.randomize(bound, seed, stream + 1);
  att_target_.randomize(bound, seed, stream + 2);
}

/// h, and its products with both halves of the attention.
void GatConv::transform(const ConvInput& input, Room& r) const {
  r.h.resize(r.block.sources, width());
  for_each_chunk(r.block.sources, [&](std::size_t begin, std::size_t end) {
    multiply_rows(input.rows, begin, weights_, r.h.view().rows_between(begin, end));
    for (std::size_t s = begin; s < end; ++s) {
      const float* h = r.h.view().row(s);
      multiply_heads(att_source_.values(), h, r.attention.source(s));
      if (s >= r.block.targets) continue;
      multiply_heads(att_target_.values(), h, r.attention.target().row_span(s));
    }
  });
}

void GatConv::forward(const ConvInput& input, ConvRoom& room, MatrixView<float> out,
                      const RowsDone& done) const {
  auto& r = static_cast<Room&>(room);
  r.assign(input.block);
  r.attention.assign(r.block, shape_.heads, attention_dropout(shape_, input));
  r.sums_first = gains_by_sums_first(input.rows, input.block);
  if (r.sums_first) return forward_sums_first(input, r, out, done);
  transform(input, r);
  for_each_chunk(r.block.targets, [&](std::size_t begin, std::size_t end) {
    r.attention.attend(begin, end);
    const MatrixView<float> rows = out.rows_between(begin, end);
    r.attention.combine(r.h.view(), begin, end, rows);
    add_bias(bias_, rows);
    done(begin, end);
  });
}

void GatConv::backward(const ConvInput& input, ConvRoom& room, const OutputGradient& gradient) {
  auto& r = static_cast<Room&>(room);
  r.attention.prepare_backward(!r.sums_first || input.wants_gradient);
  if (r.sums_first) return backward_sums_first(input, r, gradient);
  r.dout.resize(r.block.targets, width());
  for_each_grouped_chunk(r.block.targets,
                         [&](std::size_t group, std::size_t begin, std::size_t end) {
                           const MatrixView<float> dy = working_rows(end - begin, num_outputs());
                           gradient(begin, end, dy);
                           add_bias_gradient(bias_, group, dy);
                           r.attention.spread(dy, r.dout.view().rows_between(begin, end));
                           r.attention.backward(r.h.view(), r.dout.view(), begin, end);
                         });
  const bool sparse = input.rows.sparse(), keeps = input.wants_gradient || sparse;
  if (keeps) r.dh.resize(r.block.sources, width());
  for_each_grouped_chunk(
      r.block.sources, [&](std::size_t group, std::size_t begin, std::size_t end) {
        const MatrixView<float> dh =
            keeps ? r.dh.view().rows_between(begin, end) : working_rows(end - begin, width());
        r.attention.source_sums(r.dout.view(), begin, end, dh);
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

/// Adds what attention gives to dh, and the gradients of attention by the sources.
void GatConv::add_source_gradients(const Room& r, std::size_t group, std::size_t begin,
                                   MatrixView<float> dh) {
  const MatrixView<float> dsource = att_source_.gradient(group);
  const MatrixView<float> dtarget = att_target_.gradient(group);
  std::vector<float> by_source(shape_.heads);
  for (std::size_t s = begin; s < begin + dh.rows; ++s) {
    const float* h = r.h.view().row(s);
    float* gradient = dh.row(s - begin);
    r.attention.source_gradient(s, by_source);
    add_head_gradients(att_source_.values(), by_source, h, gradient, dsource);
    if (s >= r.block.targets) continue;
    add_head_gradients(att_target_.values(), r.attention.target_gradient().row_span(s), h, gradient,
                       dtarget);
  }
}

void GatConv::input_gradient(const ConvInput&, const ConvRoom& room, std::size_t begin,
                             std::size_t end, MatrixView<float> rows) const {
  const auto& r = static_cast<const Room&>(room);
  if (r.sums_first) return input_gradient_sums_first(r, begin, end, rows);
  weights_.multiply_transposed(r.dh.view().rows_between(begin, end), rows);
}

// Attention whose sums are made of the input rows: out_t = (sum_j a_tj x_j) W, with the logits'
// parts att . h = x (W att).

/// The product takes most of the time and is made for targets instead of sources. With several
/// heads there would be as many sums.
bool GatConv::gains_by_sums_first(const SourceRows& rows, const Block& block) const {
  return shape_.heads == 1 && !gains_by_products_first(rows, block, width()) &&
         block.sources >= 2 * block.targets;
}

/// W att, and the products of all rows with it.
void GatConv::project(const ConvInput& input, Room& r) const {
  const std::size_t in = shape_.in;
  r.by_source.resize(in);
  r.by_target.resize(in);
  for (std::size_t i = 0; i < in; ++i) {
    const float* w = weights_.values().row(i);
    r.by_source[i] = kernels().dot(w, att_source_.values().data, shape_.out);
    r.by_target[i] = kernels().dot(w, att_target_.values().data, shape_.out);
  }
  for_each_chunk(r.block.sources, [&](std::size_t begin, std::size_t end) {
    const MatrixView<float> x = working_rows(end - begin, in);
    input.rows.copy(begin, end, x);
    for (std::size_t s = begin; s < end; ++s) {
      const float* row = x.row(s - begin);
      r.attention.source(s)[0] = kernels().dot(row, r.by_source.data(), in);
      if (s >= r.block.targets) continue;
      *r.attention.target().row(s) = kernels().dot(row, r.by_target.data(), in);
    }
  });
}

void GatConv::forward_sums_first(const ConvInput& input, Room& r, MatrixView<float> out,
                                 const RowsDone& done) const {
  project(input, r);
  r.sums.resize(r.block.targets, shape_.in);
  const float* weights = r.attention.weights().data();
  for_each_chunk(r.block.targets, [&](std::size_t begin, std::size_t end) {
    r.attention.attend(begin, end);
    const MatrixView<float> sums = r.sums.view().rows_between(begin, end);
    input.rows.aggregate(r.block, begin, end, {.weights = weights}, sums);
    const MatrixView<float> rows = out.rows_between(begin, end);
    weights_.multiply(sums, rows);
    add_bias(bias_, rows);
    done(begin, end);
  });
}

void GatConv::backward_sums_first(const ConvInput& input, Room& r, const OutputGradient& gradient) {
  r.dout.resize(r.block.targets, shape_.in);
  r.dby_source.assign(Weights::kGroups * shape_.in, 0);
  r.dby_target.assign(Weights::kGroups * shape_.in, 0);
  for_each_grouped_chunk(r.block.targets,
                         [&](std::size_t group, std::size_t begin, std::size_t end) {
                           const MatrixView<float> dy = working_rows(end - begin, shape_.out);
                           gradient(begin, end, dy);
                           add_bias_gradient(bias_, group, dy);
                           weights_.add_gradient(group, r.sums.view().rows_between(begin, end), dy);
                           weights_.multiply_transposed(dy, r.dout.view().rows_between(begin, end));
                           add_edge_gradients(input, r, group, begin, end);
                         });
  add_projection_gradients(r);
}

/// Computes gradients of the logits of edges into targets [begin, end), and of the projections,
/// from those of the targets' sums. Works target by target, while its neighbours' rows are in the
/// cache.
void GatConv::add_edge_gradients(const ConvInput& input, Room& r, std::size_t group,
                                 std::size_t begin, std::size_t end) const {
  const std::size_t in = shape_.in;
  float* dby_source = r.dby_source.data() + group * in;
  float* dby_target = r.dby_target.data() + group * in;
  for (std::size_t t = begin; t < end; ++t) {
    const std::size_t first = r.offsets[t], last = r.offsets[t + 1];
    const MatrixView<float> x = working_rows(last - first, in, 1);
    input.rows.gather({r.neighbors.data() + first, last - first}, x);
    for (std::size_t e = first; e < last; ++e) {
      *r.attention.edge_gradient(e) = kernels().dot(r.dout.view().row(t), x.row(e - first), in);
    }
    r.attention.finish_target(t);
    for (std::size_t e = first; e < last; ++e) {
      kernels().axpy(*r.attention.edge_gradient(e), x.row(e - first), dby_source, in);
    }
    // Its last edge is that to itself.
    kernels().axpy(*r.attention.target_gradient().row(t), x.row(last - first - 1), dby_target, in);
  }
}

/// Adds what W att gets to the gradients of both.
void GatConv::add_projection_gradients(const Room& r) {
  const std::size_t in = shape_.in, out = shape_.out;
  const auto add = [&](const std::vector<float>& groups, Weights& attention) {
    std::vector<float> total(in);
    for (std::size_t g = 0; g < Weights::kGroups; ++g) {
      kernels().axpy(1, groups.data() + g * in, total.data(), in);
    }
    const MatrixView<float> dw = weights_.gradient(0);
    float* datt = attention.gradient(0).data;
    for (std::size_t i = 0; i < in; ++i) {
      kernels().axpy(total[i], attention.values().data, dw.row(i), out);
      kernels().axpy(total[i], weights_.values().row(i), datt, out);
    }
  };
  add(r.dby_source, att_source_);
  add(r.dby_target, att_target_);
}

void GatConv::input_gradient_sums_first(const Room& r, std::size_t begin, std::size_t end,
                                        MatrixView<float> rows) {
  r.attention.source_sums(r.dout.view(), begin, end, rows);
  for (std::size_t s = begin; s < end; ++s) {
    float* const row = rows.row(s - begin);
    float gradient = 0;
    r.attention.source_gradient(s, {&gradient, 1});
    kernels().axpy(gradient, r.by_source.data(), row, rows.cols);
    if (s >= r.block.targets) continue;
    kernels().axpy(*r.attention.target_gradient().row(s), r.by_target.data(), row, rows.cols);
  }
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
