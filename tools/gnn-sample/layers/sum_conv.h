#pragma once
#include <memory>
#include <string>
#include <vector>

#include "tools/gnn-sample/layers/conv.h"

namespace frugal::gnn {

/// y_t = W (own_t x_t + target_t sum_j w_tj source_j x_j) + b over the neighbours j of t: what GCN
/// and GIN have in common. w_tj is the weight of the edge, 1 if the block has none. The sum is made
/// first: a mini-batch has more sources than targets. But sparse rows may be less work the other
/// way round.
class SumConv : public Conv {
 public:
  std::size_t num_outputs() const override { return weights_.out(); }
  std::unique_ptr<ConvRoom> make_room() const override;
  void forward(const ConvInput& input, ConvRoom& room, MatrixView<float> out,
               const RowsDone& done) const override;
  void backward(const ConvInput& input, ConvRoom& room, const OutputGradient& gradient) override;
  void input_gradient(const ConvInput& input, const ConvRoom& room, std::size_t begin,
                      std::size_t end, MatrixView<float> rows) const override;

 protected:
  struct Factors {
    std::vector<float> own, target;  ///< [targets]; target's are above 0
    std::vector<float> source;       ///< [sources]; empty: all 1, as are then those of targets
    std::vector<float> loops;        ///< [targets] edges from each to itself, which do not count
  };

  SumConv(std::size_t in, std::size_t out, bool bias, Precision precision);
  virtual void set_factors(const ConvInput& input, Factors& factors) const = 0;
  /// Whether the targets' own factors are parameters; then the rows that were added up and the
  /// gradients of the sums of targets [begin, end) are given to add_own_gradient(), by one thread
  /// of the group at a time.
  virtual bool own_is_trained() const { return false; }
  virtual void add_own_gradient(const SourceRows& rows, std::size_t group, std::size_t begin,
                                std::size_t end, MatrixView<const float> gradients);

  Weights weights_;
  Weights bias_;  ///< a row, or nothing

 private:
  struct Room;
  void set_edge_factors(const Block& block, std::size_t begin, std::size_t end, Room& room) const;
  void sums_gradient(const TransposedBlock& transposed, const Room& room, std::size_t begin,
                     std::size_t end, MatrixView<float> rows) const;
  void add_product_gradients(const ConvInput& input, Room& room);
};

/// Graph convolution with symmetric normalisation and self-loops (Kipf, Welling, ICLR 2017): with d
/// one more than the degree in the graph, own = 1 / d_t and a neighbour's factor 1 / sqrt(d_t d_j).
/// Edges of the graph from a node to itself are not counted again.
/// Where only some of t's neighbours were drawn they stand for all: theirs is multiplied by what is
/// left out. Initial values as PyG's GCNConv.
///
/// With weights of edges, d is the sum of the weights of a node's in-edges plus that of its edge to
/// itself, which is 1 if the graph has none: own = that weight / d_t (PyG's gcn_norm). The weights
/// of drawn neighbours are scaled up so that their sum is that of all.
class GcnConv : public SumConv {
 public:
  GcnConv(std::size_t in, std::size_t out, bool bias, Precision precision)
      : SumConv(in, out, bias, precision) {}
  void randomize(std::uint64_t seed, std::uint64_t stream) override;
  std::vector<ParameterTensor> tensors() override;

 protected:
  void set_factors(const ConvInput& input, Factors& factors) const override;

 private:
  void set_weighted_factors(const ConvInput& input, Factors& factors) const;
};

/// The sum and first layer of a graph isomorphism network: own = 1 + epsilon, all others 1 (Xu et
/// al., ICLR 2019, equation 4.1). The rest of its MLP are layers of their own.
class GinConv : public SumConv {
 public:
  GinConv(std::size_t in, std::size_t out, bool bias, bool train_epsilon, Precision precision);
  void randomize(std::uint64_t seed, std::uint64_t stream) override;
  std::vector<ParameterTensor> tensors() override;

 protected:
  void set_factors(const ConvInput& input, Factors& factors) const override;
  bool own_is_trained() const override { return train_epsilon_; }
  void add_own_gradient(const SourceRows& rows, std::size_t group, std::size_t begin,
                        std::size_t end, MatrixView<const float> gradients) override;

 private:
  Weights epsilon_;  ///< one number
  bool train_epsilon_;
};

}  // namespace frugal::gnn
