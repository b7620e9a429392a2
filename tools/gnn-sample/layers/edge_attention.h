#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "libcore/base/view.h"
#include "libcore/nn/row_store.h"
#include "tools/gnn-sample/layers/activation.h"
#include "tools/gnn-sample/layers/conv.h"
#include "tools/gnn-sample/layers/row_chunks.h"
#include "tools/gnn-sample/sampler/mini_batch.h"

namespace frugal::gnn {

/// Sizes of a layer of attention.
struct GatShape {
  std::size_t in = 0;
  std::size_t out = 0;  ///< outputs of each head
  std::size_t heads = 1;
  bool concatenate = true;  ///< concatenates the heads; otherwise takes their mean
  bool bias = true;
  float attention_dropout = 0;
  Precision precision = Precision::f32;

  std::size_t width() const { return heads * out; }
  std::size_t outputs() const { return concatenate ? width() : out; }
};

inline Dropout attention_dropout(const GatShape& shape, const ConvInput& input) {
  return Dropout(shape.attention_dropout, input.pass, kAttentionStream + input.layer);
}

/// A block in which each target has exactly one edge to itself, after its other edges.
struct LoopedBlock {
  std::vector<std::uint32_t> offsets, neighbors;
  Block block;

  void assign(const Block& from);
};

/// LeakyReLU's slope below 0 in attention.
inline constexpr float kAttentionSlope = 0.2F;

/// Attention of several heads over the edges of a block: the weight of an edge of target t is the
/// softmax of its logit over t's edges. That of the edge from source s is
/// LeakyReLU(source_s + target_t), slope 0.2 (Velickovic et al., ICLR 2018), or one that the caller
/// computes. In training, some weights are dropped. It reuses its memory. Functions of a target or
/// of a range of targets or sources run on the calling thread.
class EdgeAttention {
 public:
  /// Borrows the block, whose offsets begin at 0. The caller then writes source() and target(), or
  /// edge_logit().
  void assign(const Block& block, std::size_t heads, const Dropout& dropout);

  /// [heads] what a source adds to the logits of its edges.
  std::span<float> source(std::size_t s) { return {source_.data() + s * heads_, heads_}; }
  /// [targets, heads] what targets add.
  MatrixView<float> target() { return target_.view(); }

  /// Computes the weights of the edges of targets [begin, end).
  void attend(std::size_t begin, std::size_t end);
  /// [heads] logits of an edge, for attend_by_logits().
  float* edge_logit(std::size_t edge) { return alpha_.data() + edge * heads_; }
  /// Softmax over the logits of target t's edges, which the caller has written to edge_logit().
  void attend_by_logits(std::size_t t);
  /// [edges, heads] after dropout.
  const std::vector<float>& weights() const { return kept_.empty() ? alpha_ : kept_; }
  /// out row t - begin: for each head, the sum of its columns of h by the weights of t's edges. The
  /// heads are side by side if out is as wide as h, otherwise their mean is taken.
  void combine(MatrixView<const float> h, std::size_t begin, std::size_t end,
               MatrixView<float> out) const;

  /// Converts gradients of combine()'s rows to those of the sums of each head.
  void spread(MatrixView<const float> gradient, MatrixView<float> dsums) const;
  /// Makes room for the gradients of the logits; transposes the block on request.
  void prepare_backward(bool transposes);
  /// Computes the gradients of the logits of the edges of targets [begin, end). dsums: [targets,
  /// columns of h] gradients of the sums of each head.
  void backward(MatrixView<const float> h, MatrixView<const float> dsums, std::size_t begin,
                std::size_t end);
  /// [heads] gradients of an edge's weights, then of its logits.
  float* edge_gradient(std::size_t edge) { return dlogits_.data() + edge * heads_; }
  /// Writes the gradients of the weights of t's edges to edge_gradient().
  void weight_gradients(MatrixView<const float> h, MatrixView<const float> dsums, std::size_t t);
  /// Converts them to gradients of the logits, through dropout and softmax.
  void logit_gradients(std::size_t t);
  /// Converts the weights' gradients in edge_gradient() to gradients of the logits before
  /// LeakyReLU, and sums them for target_gradient().
  void finish_target(std::size_t t);
  /// The edges of a source, of the transposed block: calls body(target, edge).
  template <class Body>
  void for_each_edge_of(std::size_t s, const Body& body) const {
    for (std::size_t i = transposed_.offsets[s]; i < transposed_.offsets[s + 1]; ++i) {
      body(transposed_.targets[i], transposed_.edges[i]);
    }
  }

  /// dh row s - begin, of sources [begin, end): the sum of the rows of dsums by the weights of s's
  /// edges. Requires the transposed block.
  void source_sums(MatrixView<const float> dsums, std::size_t begin, std::size_t end,
                   MatrixView<float> dh) const {
    sum_transposed(dsums, weights(), begin, end, dh);
  }
  /// out row t - begin: for each head, the sum of its columns of `keys` by the gradients of the
  /// logits of t's edges, for targets [begin, end).
  void target_logit_sums(MatrixView<const float> keys, std::size_t begin, std::size_t end,
                         MatrixView<float> out) const {
    sum_heads(keys, dlogits_, begin, end, out);
  }
  /// Computes such sums of rows of targets for sources [begin, end). Requires the transposed block.
  void source_logit_sums(MatrixView<const float> queries, std::size_t begin, std::size_t end,
                         MatrixView<float> out) const {
    sum_transposed(queries, dlogits_, begin, end, out);
  }
  /// Writes the gradient by source(s). Requires the transposed block.
  void source_gradient(std::size_t s, std::span<float> to) const;
  /// [targets, heads] gradient by target().
  MatrixView<const float> target_gradient() const { return dtarget_.view(); }

 private:
  void sum_heads(MatrixView<const float> h, const std::vector<float>& factors, std::size_t begin,
                 std::size_t end, MatrixView<float> out) const;
  void sum_transposed(MatrixView<const float> rows, const std::vector<float>& factors,
                      std::size_t begin, std::size_t end, MatrixView<float> out) const;

  Block block_;
  std::size_t heads_ = 1;
  Dropout dropout_{0, {}, 0};
  std::vector<float> source_;   ///< [sources, heads]
  RowStore target_;             ///< [targets, heads]
  std::vector<float> alpha_;    ///< [edges, heads]
  std::vector<float> kept_;     ///< alpha after dropout; empty without
  std::vector<float> dlogits_;  ///< [edges, heads] gradient before LeakyReLU
  RowStore dtarget_;            ///< [targets, heads]
  TransposedBlock transposed_;
};

/// A row of parameters, [heads * out], whose products with the heads of a row h are parts of
/// logits: to[k] = h_k . attention_k.
void multiply_heads(MatrixView<const float> attention, const float* h, std::span<float> to);
/// Adds to the gradients of h and of attention, by those of the parts.
void add_head_gradients(MatrixView<const float> attention, std::span<const float> gradients,
                        const float* h, float* dh, MatrixView<float> dattention);

}  // namespace frugal::gnn
