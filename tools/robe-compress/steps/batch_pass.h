#pragma once
#include <cstddef>
#include <memory>
#include <vector>

#include "libcore/base/array.h"
#include "libcore/base/view.h"
#include "libcore/embedding/embedding.h"
#include "tools/robe-compress/columns/click_batch.h"
#include "tools/robe-compress/network/network.h"

namespace frugal::robe {

/// Weight decay of embeddings: factors of a sample's rows that are added to their gradients.
struct EmbeddingDecay {
  float all = 0;
  std::vector<float> by_row = {};  ///< additional factors of each row of all tables; or empty
};

/// Forward and backward pass of a batch through embeddings and network, and its results for steps.
class BatchPass {
 public:
  /// size: most samples of a batch. embedding, network: must outlive the object. decay: adds half
  /// of it times the squared numbers in its rows to the loss of a sample.
  BatchPass(const Embedding& embedding, const Network& network, std::size_t size,
            const EmbeddingDecay& decay);

  /// Runs samples [begin, end). May be called by any thread. share: weight of a sample in the loss.
  void run(const ClickBatch& batch, std::size_t begin, std::size_t end, float share);
  /// Gradient d loss / d embeddings, [batch, tables * dim], after all samples were run.
  MatrixView<const float> gradients(const ClickBatch& batch) const;
  /// Input for stepping pieces of the network.
  NetworkInput input(const ClickBatch& batch) const;
  NetworkBatch& network_batch() { return *network_batch_; }
  /// Sum of the samples' losses.
  double loss(const ClickBatch& batch) const;

 private:
  void add_decay(const ClickBatch& batch, std::size_t begin, std::size_t end, float share);

  const Embedding& embedding_;
  const Network& network_;
  std::size_t width_;
  EmbeddingDecay decay_;
  Array<float> embeddings_, gradients_;  ///< [batch, width]
  std::vector<float> logits_, dlogits_;
  std::vector<double> losses_;
  std::unique_ptr<NetworkBatch> network_batch_;
};

/// Number of samples of a batch that a thread computes at a time.
std::size_t rows_at_a_time(std::size_t batch, std::size_t threads);

}  // namespace frugal::robe
