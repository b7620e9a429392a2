#pragma once
#include "libcore/nn/weights.h"
#include "tools/gnn-sample/network/shortcut.h"
#include "tools/gnn-sample/typed/relation_layer.h"

namespace frugal::gnn {

struct AttentionShape {
  std::size_t in = 0, target_in = 0;  ///< columns of the rows of sources and targets
  std::size_t out = 0;                ///< outputs of each head
  std::size_t heads = 1;
  bool concatenate = true;  ///< puts the heads side by side; otherwise takes their mean
  float dropout = 0;        ///< of the weights of edges
  Precision precision = Precision::f32;
};

/// Graph attention within a relation (Busbridge et al., arXiv 1904.05811, WIRGAT). With N(v) the
/// sources of v's edges of the relation, the row of v is for each head
///
///   sum over u in N(v) of a_vu W x_u,  a_vu = softmax over u of LeakyReLU(s . W x_u + q . x_v).
///
/// PyG's GATConv between two types has the product of two matrices as q. A target has no edge to
/// itself; its own row is a matter of the type's map.
class RelationAttention final : public RelationLayer {
 public:
  explicit RelationAttention(const AttentionShape& shape);

  std::unique_ptr<RelationRoom> make_room() const override;
  void randomize(std::uint64_t seed, std::uint64_t stream) override;
  bool reads_targets() const override { return true; }
  void forward(const RelationInput& input, RelationRoom& room,
               MatrixView<float> sums) const override;
  void prepare_backward(const RelationInput& input, RelationRoom& room) const override;
  void backward(const RelationInput& input, RelationRoom& room,
                MatrixView<const float> gradient) override;
  void add_source_gradient(const RelationRoom& room, std::size_t begin, std::size_t end,
                           MatrixView<float> rows) const override;
  void add_target_gradient(const RelationRoom& room, std::size_t begin, std::size_t end,
                           MatrixView<float> rows) const override;
  /// W: "relation.NAME.weight" [heads * out, in]. s: "attention.NAME.weight" [heads, out]. q:
  /// "query.NAME.weight" [heads, target_in].
  std::vector<ParameterTensor> tensors(const std::string& layer,
                                       const std::string& relation) override;

 private:
  struct Room;
  std::size_t width() const { return shape_.heads * shape_.out; }

  AttentionShape shape_;
  Shortcut map_;       ///< W
  Weights attention_;  ///< s, a row [heads * out]
  Shortcut query_;     ///< q
};

}  // namespace frugal::gnn
