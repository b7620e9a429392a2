#pragma once
#include "tools/gnn-sample/network/shortcut.h"
#include "tools/gnn-sample/typed/relation_layer.h"

namespace frugal::gnn {

/// Relational graph convolution (Schlichtkrull et al., ESWC 2018, equation 2): with N(v) the
/// sources of v's edges of the relation, the row of v is W (sum over u in N(v) of x_u) / |N(v)|. If
/// the block has weights of edges w, it is W (sum of w_vu x_u) / (sum of w_vu), or 0 without a sum.
class RelationMean final : public RelationLayer {
 public:
  RelationMean(std::size_t in, std::size_t out, Precision precision)
      : map_(in, out, false, precision), in_(in), out_(out) {}

  std::unique_ptr<RelationRoom> make_room() const override;
  void randomize(std::uint64_t seed, std::uint64_t stream) override {
    map_.randomize(seed, stream);
  }
  void forward(const RelationInput& input, RelationRoom& room,
               MatrixView<float> sums) const override;
  void prepare_backward(const RelationInput& input, RelationRoom& room) const override;
  void backward(const RelationInput& input, RelationRoom& room,
                MatrixView<const float> gradient) override;
  void add_source_gradient(const RelationRoom& room, std::size_t begin, std::size_t end,
                           MatrixView<float> rows) const override;
  /// "relation.NAME.weight"
  std::vector<ParameterTensor> tensors(const std::string& layer,
                                       const std::string& relation) override {
    return map_.tensors(layer + "relation." + relation);
  }

 private:
  struct Room;

  Shortcut map_;
  std::size_t in_, out_;
};

}  // namespace frugal::gnn
