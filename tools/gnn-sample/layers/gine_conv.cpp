#include "tools/gnn-sample/layers/gine_conv.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "libcore/kernels/kernels.h"
#include "tools/gnn-sample/layers/row_chunks.h"

namespace frugal::gnn {
namespace {

/// Edges whose messages are made at once.
constexpr std::size_t kMessages = 256;

// Working memory: slot 0 has messages, slot 1 rows of targets, slot 2 features of edges.
constexpr std::size_t kTargetSlot = 1, kEdgeSlot = 2;

/// Copies the features of edges [first, last) of the block, counted from its first one.
MatrixView<float> edge_rows(const Block& block, std::size_t first, std::size_t last) {
  const MatrixView<float> rows = working_rows(last - first, block.edge_dim, kEdgeSlot);
  for (std::size_t e = first; e < last; ++e) {
    std::copy_n(block.edge_row(block.offsets[0] + e), block.edge_dim, rows.row(e - first));
  }
  return rows;
}

/// Calls body(first, last) for runs of edges of targets [begin, end), counted from the block's
/// first one.
template <class Body>
void for_each_run(const Block& block, std::size_t begin, std::size_t end, const Body& body) {
  const std::size_t all = block.offsets[end] - block.offsets[0];
  for (std::size_t e = block.offsets[begin] - block.offsets[0]; e < all; e += kMessages) {
    body(e, std::min(all, e + kMessages));
  }
}

/// Calls body(target, edge) for edges [first, last), in order; target: that of an edge before.
template <class Body>
void for_each_edge(const Block& block, std::size_t first, std::size_t last, std::size_t& target,
                   const Body& body) {
  for (std::size_t e = first; e < last; ++e) {
    while (block.offsets[target + 1] - block.offsets[0] <= e) ++target;
    body(target, e);
  }
}

}  // namespace

struct GineConv::Room : ConvRoom {
  RowStore sums;       ///< [targets, in], in training
  RowStore gradients;  ///< of the same
  RowStore dmessages;  ///< [edges, in], if the input wants its gradient
};

GineConv::GineConv(const Size& size, bool bias, bool train_epsilon, Precision precision)
    : edge_weights_(size.edge, size.in, precision),
      edge_bias_(1, size.in),
      weights_(size.in, size.out, precision),
      bias_(bias ? 1 : 0, size.out),
      epsilon_(1, 1),
      train_epsilon_(train_epsilon) {}

std::unique_ptr<ConvRoom> GineConv::make_room() const { return std::make_unique<Room>(); }

void GineConv::randomize(std::uint64_t seed, std::uint64_t stream) {
  const double bound = 1 / std::sqrt(static_cast<double>(weights_.in()));
  weights_.randomize(bound, seed, stream);
  bias_.randomize(bound, seed, stream + 1);
  const double of_edges = 1 / std::sqrt(static_cast<double>(edge_weights_.in()));
  edge_weights_.randomize(of_edges, seed, stream + 2);
  edge_bias_.randomize(of_edges, seed, stream + 3);
}

/// Messages of edges [first, last) before ReLU, in working memory.
MatrixView<float> GineConv::messages(const ConvInput& input, std::size_t first,
                                     std::size_t last) const {
  const Block& block = input.block;
  const MatrixView<float> rows = working_rows(last - first, edge_weights_.out());
  input.rows.gather({block.neighbors + block.offsets[0] + first, rows.rows}, rows);
  edge_weights_.multiply(edge_rows(block, first, last), rows, 1);
  add_bias(edge_bias_, rows);
  return rows;
}

void GineConv::forward(const ConvInput& input, ConvRoom& room, MatrixView<float> out,
                       const RowsDone& done) const {
  auto& r = static_cast<Room&>(room);
  const Block& block = input.block;
  assert(block.edge_dim == edge_weights_.in() || block.num_edges() == 0);
  const bool keeps = input.pass.training;  // what the backward pass will read
  if (keeps) r.sums.resize(block.targets, weights_.in());
  for_each_chunk(block.targets, [&](std::size_t begin, std::size_t end) {
    const MatrixView<float> sums = keeps ? r.sums.view().rows_between(begin, end)
                                         : working_rows(end - begin, weights_.in(), kTargetSlot);
    input.rows.copy(begin, end, sums);
    for (std::size_t t = 0; t < sums.rows; ++t) kernels().scale(own(), sums.row(t), sums.cols);
    std::size_t target = begin;
    for_each_run(block, begin, end, [&](std::size_t first, std::size_t last) {
      const MatrixView<float> rows = messages(input, first, last);
      for_each_edge(block, first, last, target, [&](std::size_t t, std::size_t e) {
        float* const to = sums.row(t - begin);
        const float* const from = rows.row(e - first);
        for (std::size_t c = 0; c < rows.cols; ++c) to[c] += std::max(from[c], 0.0F);
      });
    });
    const MatrixView<float> rows = out.rows_between(begin, end);
    weights_.multiply(sums, rows);
    add_bias(bias_, rows);
    done(begin, end);
  });
}

void GineConv::backward(const ConvInput& input, ConvRoom& room, const OutputGradient& gradient) {
  auto& r = static_cast<Room&>(room);
  const std::size_t targets = input.block.targets;
  r.gradients.resize(targets, weights_.in());
  if (input.wants_gradient) r.dmessages.resize(input.block.num_edges(), weights_.in());
  for_each_grouped_chunk(targets, [&](std::size_t group, std::size_t begin, std::size_t end) {
    const MatrixView<float> dsums = r.gradients.view().rows_between(begin, end);
    const MatrixView<float> dy = working_rows(end - begin, weights_.out());
    gradient(begin, end, dy);
    add_bias_gradient(bias_, group, dy);
    weights_.add_gradient(group, r.sums.view().rows_between(begin, end), dy);
    weights_.multiply_transposed(dy, dsums);
    if (train_epsilon_) add_epsilon_gradient(input, group, begin, dsums);
    add_message_gradients(input, r, group, begin, end);
  });
}

void GineConv::add_epsilon_gradient(const ConvInput& input, std::size_t group, std::size_t begin,
                                    MatrixView<const float> dsums) {
  const MatrixView<float> rows = working_rows(dsums.rows, dsums.cols, kTargetSlot);
  input.rows.copy(begin, begin + dsums.rows, rows);
  float& sum = epsilon_.gradient(group)(0, 0);
  for (std::size_t r = 0; r < rows.rows; ++r) {
    sum += kernels().dot(rows.row(r), dsums.row(r), rows.cols);
  }
}

/// Makes the messages of targets [begin, end) again, and replaces each by its gradient.
void GineConv::add_message_gradients(const ConvInput& input, Room& r, std::size_t group,
                                     std::size_t begin, std::size_t end) {
  const Block& block = input.block;
  const MatrixView<const float> dsums = r.gradients.view();
  std::size_t target = begin;
  for_each_run(block, begin, end, [&](std::size_t first, std::size_t last) {
    const MatrixView<float> rows = messages(input, first, last);
    for_each_edge(block, first, last, target, [&](std::size_t t, std::size_t e) {
      float* const row = rows.row(e - first);
      const float* const from = dsums.row(t);
      for (std::size_t c = 0; c < rows.cols; ++c) row[c] = row[c] > 0 ? from[c] : 0;
    });
    edge_weights_.add_gradient(group, edge_rows(block, first, last), rows);
    add_bias_gradient(edge_bias_, group, rows);
    if (!input.wants_gradient) return;
    copy_rows_or_zero(rows, 0, rows.rows, r.dmessages.view().rows_between(first, last));
  });
}

void GineConv::input_gradient(const ConvInput& input, const ConvRoom& room, std::size_t begin,
                              std::size_t end, MatrixView<float> rows) const {
  const auto& r = static_cast<const Room&>(room);
  const TransposedBlock& edges = *input.transposed;
  const MatrixView<const float> dmessages = r.dmessages.view(), dsums = r.gradients.view();
  set_zero(rows);
  for (std::size_t s = begin; s < end; ++s) {
    float* const to = rows.row(s - begin);
    for (std::size_t i = edges.offsets[s]; i < edges.offsets[s + 1]; ++i) {
      kernels().axpy(1, dmessages.row(edges.edges[i]), to, rows.cols);
    }
    if (s < dsums.rows) kernels().axpy(own(), dsums.row(s), to, rows.cols);
  }
}

std::vector<ParameterTensor> GineConv::tensors() {
  std::vector<ParameterTensor> all = {
      {"eps", &epsilon_, {1}, 0, train_epsilon_},
      {"nn.0.weight", &weights_, {weights_.out(), weights_.in()}},
      {"lin.weight", &edge_weights_, {edge_weights_.out(), edge_weights_.in()}},
      {"lin.bias", &edge_bias_, {edge_bias_.out()}}};
  if (bias_.size() != 0) all.push_back({"nn.0.bias", &bias_, {bias_.out()}});
  return all;
}

}  // namespace frugal::gnn
