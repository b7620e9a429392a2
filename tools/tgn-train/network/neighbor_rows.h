#pragma once
#include "libcore/kernels/kernels.h"
#include "libcore/nn/row_store.h"
#include "tools/tgn-train/network/embedding_layer.h"

namespace frugal::tgn {

/// What is known of the neighbours of a layer's queries: [row below | edge features | time
/// encoding] of each, with room for the gradient of the encodings.
class NeighborRows {
 public:
  NeighborRows(std::size_t below_dim, std::size_t edge_dim, std::size_t time_dim)
      : below_dim_(below_dim), edge_dim_(edge_dim), time_dim_(time_dim) {}

  std::size_t width() const { return below_dim_ + edge_dim_ + time_dim_; }
  /// Gathers features and encodes times.
  void fill(const LayerInput& input);
  /// Sets lists and parts of `attention`; with dbelow, where the backward pass adds gradients.
  void describe(const LayerInput& input, MatrixView<float> dbelow, Attention& attention);
  /// Hands the gradient of the encodings on to the encoder.
  void finish_backward(const LayerInput& input);

 private:
  std::size_t below_dim_, edge_dim_, time_dim_;
  RowStore edges_, times_, d_times_;
};

}  // namespace frugal::tgn
