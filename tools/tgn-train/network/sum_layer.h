#pragma once
#include <string>
#include <vector>

#include "tools/tgn-train/network/embedding_layer.h"

namespace frugal::tgn {

/// Temporal graph sum (Rossi et al. 2020, equations 10 and 11): one layer and ReLU applied to the
/// sum of the neighbours, merged with the node's own row by a second layer. The first layer is
/// linear, so it is applied once to the sum and not to each neighbour.
class SumLayer : public EmbeddingLayer {
 public:
  SumLayer(const TgnOptions& options, const TgnInputs& inputs, std::size_t layer);

  void randomize(std::uint64_t seed, std::uint64_t stream) override;
  void forward(const LayerInput& input, const TgnPass& pass, MatrixView<float> out) override;
  void backward(const LayerInput& input, MatrixView<float> dout, MatrixView<float> dbelow,
                ParameterSteps& steps) override;
  void visit_parameters(const ParameterVisit& each) override;
  void save(Document& document) const override;
  void load(const Document& document, const std::string& path) override;

 private:
  Attention describe(const LayerInput& input, MatrixView<float> dbelow);

  std::string first_name_, second_name_;
  std::size_t dim_, time_dim_;
  NeighborRows neighbors_;
  /// Column in the file for each column of first_. In the file a neighbour's parts are [row | phi |
  /// edge], here [row | edge | phi].
  std::vector<std::size_t> file_column_;
  DenseLayer first_;   ///< [sum of neighbours | their number] -> dim
  DenseLayer second_;  ///< [ReLU of that | own row | phi(0)] -> dim

  // Rows of the last pass.
  std::vector<float> weights_;
  RowStore zeros_, sums_, merged_;
  RowStore d_merged_, d_sums_, ignored_;
};

}  // namespace frugal::tgn
