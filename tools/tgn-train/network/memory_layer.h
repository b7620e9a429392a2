#pragma once
#include <optional>

#include "libcore/nn/row_store.h"
#include "tools/tgn-train/network/embedding_layer.h"

namespace frugal::tgn {

/// Embeddings that look at no neighbours: a node's own row; or that times 1 + w since + b, with
/// `since` the time since the node's last event in units of the training data (JODIE: Kumar, Zhang,
/// Leskovec, KDD 2019, section 3.2).
class MemoryLayer : public EmbeddingLayer {
 public:
  explicit MemoryLayer(const TgnOptions& options);

  std::uint64_t num_parameters() const override;
  void randomize(std::uint64_t seed, std::uint64_t stream) override;
  void forward(const LayerInput& input, const TgnPass& pass, MatrixView<float> out) override;
  void backward(const LayerInput& input, MatrixView<float> dout, MatrixView<float> dbelow,
                ParameterSteps& steps) override;
  void prepare_training(const OptimizerOptions& optimizer) override;
  void save(Document& document) const override;
  void load(const Document& document, const std::string& path) override;
  void save_state(Document& document) const override;
  void load_state(const Document& document, const std::string& path) override;

 private:
  std::size_t dim_;
  std::optional<DenseLayer> projection_;  ///< of the time, 1 -> dim
  RowStore since_;                        ///< [queries, since and 1]
  RowStore factors_, d_factors_;
};

}  // namespace frugal::tgn
