// Attention whose sums are made of the input rows: out_t = (sum_j a_tj x_j) W, with the logits'
// parts att . h = x (W att).
#include <algorithm>

#include "libcore/kernels/kernels.h"
#include "tools/gnn-sample/network/gat_conv.h"
#include "tools/gnn-sample/network/row_chunks.h"

namespace frugal::gnn {

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
  r.source.resize(r.block.sources);
  r.target.resize(r.block.targets);
  for_each_chunk(r.block.sources, [&](std::size_t begin, std::size_t end) {
    const MatrixView<float> x = working_rows(end - begin, in);
    input.rows.copy(begin, end, x);
    for (std::size_t s = begin; s < end; ++s) {
      const float* row = x.row(s - begin);
      r.source[s] = kernels().dot(row, r.by_source.data(), in);
      if (s < r.block.targets) r.target[s] = kernels().dot(row, r.by_target.data(), in);
    }
  });
}

void GatConv::forward_sums_first(const ConvInput& input, Room& r, MatrixView<float> out,
                                 const RowsDone& done) const {
  project(input, r);
  r.sums.resize(r.block.targets, shape_.in);
  const float* weights = r.kept.empty() ? r.alpha.data() : r.kept.data();
  for_each_chunk(r.block.targets, [&](std::size_t begin, std::size_t end) {
    attend(input, r, begin, end);
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
  if (input.wants_gradient) r.transposed.assign(r.block);
}

/// From the gradients of the sums of targets [begin, end) to those of their edges' logits and of
/// the projections, target by target while its neighbours' rows are in the cache.
void GatConv::add_edge_gradients(const ConvInput& input, Room& r, std::size_t group,
                                 std::size_t begin, std::size_t end) const {
  const std::size_t in = shape_.in;
  const Dropout dropout(shape_.attention_dropout, input.pass, kAttentionStream + input.layer);
  float* dby_source = r.dby_source.data() + group * in;
  float* dby_target = r.dby_target.data() + group * in;
  for (std::size_t t = begin; t < end; ++t) {
    const std::size_t first = r.offsets[t], last = r.offsets[t + 1];
    const MatrixView<float> x = working_rows(last - first, in, 1);
    input.rows.gather({r.neighbors.data() + first, last - first}, x);
    for (std::size_t e = first; e < last; ++e) {
      r.dlogits[e] = kernels().dot(r.dout.view().row(t), x.row(e - first), in);
    }
    logit_gradient(dropout, r, t);
    for (std::size_t e = first; e < last; ++e) {
      kernels().axpy(r.dlogits[e], x.row(e - first), dby_source, in);
    }
    // Its last edge is that to itself.
    kernels().axpy(r.dtarget[t], x.row(last - first - 1), dby_target, in);
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
                                        MatrixView<float> rows) const {
  source_gradient(r, begin, end, rows);
  for (std::size_t s = begin; s < end; ++s) {
    float sum = 0;
    for (std::size_t i = r.transposed.offsets[s]; i < r.transposed.offsets[s + 1]; ++i) {
      sum += r.dlogits[r.transposed.edges[i]];
    }
    kernels().axpy(sum, r.by_source.data(), rows.row(s - begin), rows.cols);
    if (s >= r.block.targets) continue;
    kernels().axpy(r.dtarget[s], r.by_target.data(), rows.row(s - begin), rows.cols);
  }
}

}  // namespace frugal::gnn
