#include "tools/tgn-train/network/embedding_layers.h"

#include "tools/tgn-train/network/attention_layer.h"
#include "tools/tgn-train/network/sum_layer.h"
#include "tools/tgn-train/network/tpnet.h"
#include "tools/tgn-train/network/transformer_layer.h"

namespace frugal::tgn {
std::unique_ptr<EmbeddingLayer> make_embedding_layer(const TgnOptions& options,
                                                     const TgnInputs& inputs, std::size_t layer) {
  switch (options.embedding) {
    case EmbeddingKind::identity:
    case EmbeddingKind::time: return std::make_unique<MemoryLayer>(options);
    case EmbeddingKind::sum: return std::make_unique<SumLayer>(options, inputs, layer);
    case EmbeddingKind::transformer: return std::make_unique<TransformerLayer>(options, inputs);
    case EmbeddingKind::attention:
    case EmbeddingKind::walks: break;  // no layer, but a pair network
  }
  return std::make_unique<AttentionLayer>(options, inputs, layer);
}

std::unique_ptr<PairNetwork> make_pair_network(const TgnOptions& options, const TgnInputs& inputs) {
  return std::make_unique<Tpnet>(options, inputs);
}

}  // namespace frugal::tgn
