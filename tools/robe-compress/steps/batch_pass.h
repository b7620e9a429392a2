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

/// Shares of a sample's rows that are added to their gradients.
struct EmbeddingDecay {
  float all = 0;
  std::vector<float> by_row = {};  ///< and those of each row of all tables; empty: none
};

/// Forward and backward pass of a batch through embeddings and network, and what steps need of it.
class BatchPass {
 public:
  /// Batches have at most `size` samples. Embedding and network outlive the object.
  /// decay: the loss of a sample has half of it times the squares of the numbers in its rows.
  BatchPass(const Embedding& embedding, const Network& network, std::size_t size,
            const EmbeddingDecay& decay);

  /// Samples [begin, end), by any thread. share: of a sample in the loss.
  void run(const ClickBatch& batch, std::size_t begin, std::size_t end, float share);
  /// After all of them: d loss / d embeddings, [batch, tables * dim].
  MatrixView<const float> gradients(const ClickBatch& batch) const;
  /// What pieces of the network are stepped with.
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

/// Samples of a batch that a thread takes at a time.
std::size_t rows_at_a_time(std::size_t batch, std::size_t threads);

}  // namespace frugal::robe
