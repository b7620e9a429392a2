#pragma once
#include <vector>

#include "tools/tgn-train/network/embedding_layer.h"
#include "tools/tgn-train/network/parameter_steps.h"

namespace frugal::tgn {

/// Heads of an attention over the neighbours of a layer's queries. A neighbour's row is x_j = [row
/// below | edge features | phi]. For a vector p of each head and query, they compute the sum of a_j
/// x_j with a = softmax(p . x_j / sqrt(head_dim)), and the gradients of both.
class AttentionHeads {
 public:
  AttentionHeads(const TgnOptions& options, const TgnInputs& inputs, std::size_t head_dim);

  std::size_t count() const { return heads_; }
  std::size_t head_dim() const { return head_dim_; }
  /// Numbers in a neighbour's row.
  std::size_t width() const { return neighbors_.width(); }

  /// Gathers the neighbours and makes room for p, which the caller sets before attend().
  void begin(const LayerInput& input, const TgnPass& pass);
  void attend(const LayerInput& input);
  /// Makes room for the gradient of the sums, which the caller sets before attend_backward().
  void begin_backward(const LayerInput& input);
  /// Adds to dbelow, and to the gradient of the time encoder.
  void attend_backward(const LayerInput& input, MatrixView<float> dbelow);

  /// Columns [begin, end) of head h's p, sums and gradients: [queries, end - begin].
  MatrixView<float> projected(std::size_t h, std::size_t begin, std::size_t end) {
    return part(projected_, h, begin, end);
  }
  MatrixView<float> sums(std::size_t h, std::size_t begin, std::size_t end) {
    return part(sums_, h, begin, end);
  }
  MatrixView<float> d_projected(std::size_t h, std::size_t begin, std::size_t end) {
    return part(d_projected_, h, begin, end);
  }
  MatrixView<float> d_sums(std::size_t h, std::size_t begin, std::size_t end) {
    return part(d_sums_, h, begin, end);
  }

  /// Adds the bias of the values to head h's values, [queries, head_dim]: the bias times the sum of
  /// the query's attention weights, which dropout changes.
  void add_bias(std::size_t h, const VectorParameter& bias, MatrixView<float> values) const;
  /// dvalues: gradient of the values. Must be called before attend_backward().
  void bias_backward(std::size_t h, MatrixView<const float> dvalues, VectorParameter& bias);

 private:
  MatrixView<float> part(RowStore& rows, std::size_t h, std::size_t begin, std::size_t end) const {
    return rows.columns(h * width() + begin, h * width() + end);
  }
  Attention describe(const LayerInput& input, MatrixView<float> dbelow);

  std::size_t heads_, head_dim_;
  float dropout_;
  NeighborRows neighbors_;
  RowStore projected_, sums_, d_projected_, d_sums_;  ///< [queries, heads * width]
  std::vector<float> weights_, keep_;                 ///< [neighbours of all queries, heads]
  std::vector<float> weight_sums_, d_weight_sums_;    ///< [queries, heads]
};

}  // namespace frugal::tgn
