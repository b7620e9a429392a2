#pragma once
#include <memory>
#include <vector>

#include "tools/gnn-sample/layers/conv.h"
#include "tools/gnn-sample/layers/edge_attention.h"
#include "tools/gnn-sample/layers/sparse_products.h"

namespace frugal::gnn {

/// Graph attention (Velickovic et al., ICLR 2018). With h = W x for each head, the row of target t
/// is sum_j a_tj h_j over its neighbours and itself. a_tj is the attention of edges with the parts
/// att_src . h_j and att_dst . h_t of logits. Names and initial values are those of PyG's GATConv.
class GatConv : public Conv {
 public:
  explicit GatConv(const GatShape& shape);

  std::size_t num_outputs() const override { return shape_.outputs(); }
  bool wants_transposed() const override { return false; }
  std::unique_ptr<ConvRoom> make_room() const override;
  void randomize(std::uint64_t seed, std::uint64_t stream) override;
  void forward(const ConvInput& input, ConvRoom& room, MatrixView<float> out,
               const RowsDone& done) const override;
  void backward(const ConvInput& input, ConvRoom& room, const OutputGradient& gradient) override;
  void input_gradient(const ConvInput& input, const ConvRoom& room, std::size_t begin,
                      std::size_t end, MatrixView<float> rows) const override;
  std::vector<ParameterTensor> tensors() override;

 private:
  struct Room;

  std::size_t width() const { return shape_.width(); }
  void transform(const ConvInput& input, Room& room) const;
  void add_source_gradients(const Room& room, std::size_t group, std::size_t begin,
                            MatrixView<float> dh);

  // Variant that sums the input rows before the product with W. It is faster for mini-batches,
  // which have more sources than targets.
  bool gains_by_sums_first(const SourceRows& rows, const Block& block) const;
  void project(const ConvInput& input, Room& room) const;
  void forward_sums_first(const ConvInput& input, Room& room, MatrixView<float> out,
                          const RowsDone& done) const;
  void backward_sums_first(const ConvInput& input, Room& room, const OutputGradient& gradient);
  void add_edge_gradients(const ConvInput& input, Room& room, std::size_t group, std::size_t begin,
                          std::size_t end) const;
  void add_projection_gradients(const Room& room);
  static void input_gradient_sums_first(const Room& room, std::size_t begin, std::size_t end,
                                        MatrixView<float> rows);

  GatShape shape_;
  Weights weights_;                  ///< [in, heads * out]
  Weights att_source_, att_target_;  ///< rows [heads * out]
  Weights bias_;                     ///< a row, or empty
};

struct GatConv::Room : ConvRoom, LoopedBlock {
  EdgeAttention attention;
  RowStore h;             ///< [sources, heads * out]
  RowStore dout;          ///< [targets, heads * out]
  RowStore dh;            ///< [sources, heads * out], if the input is sparse or wants its gradient
  SparseColumns columns;  ///< for sparse input

  // With sums_first, dout is the gradient of the sums, [targets, in].
  bool sums_first = false;
  RowStore sums;                              ///< [targets, in]
  std::vector<float> by_source, by_target;    ///< [in] W att: x times them is att . h
  std::vector<float> dby_source, dby_target;  ///< [groups, in]
};

}  // namespace frugal::gnn
