#include "tools/tgn-train/network/embedding_layer.h"

#include "libcore/kernels/kernels.h"
#include "tools/tgn-train/network/attention_layer.h"
#include "tools/tgn-train/network/memory_layer.h"
#include "tools/tgn-train/network/sum_layer.h"

namespace frugal {

std::unique_ptr<EmbeddingLayer> make_embedding_layer(const TgnOptions& options,
                                                     const TgnInputs& inputs, std::size_t layer) {
  switch (options.embedding) {
    case EmbeddingKind::identity:
    case EmbeddingKind::time: return std::make_unique<MemoryLayer>(options);
    case EmbeddingKind::sum: return std::make_unique<SumLayer>(options, inputs, layer);
    case EmbeddingKind::attention: break;
  }
  return std::make_unique<AttentionLayer>(options, inputs, layer);
}

void add_to_rows(MatrixView<const float> dx, const std::vector<std::uint32_t>& rows,
                 MatrixView<float> dbelow) {
  for (std::size_t r = 0; r < dx.rows; ++r) {
    if (rows[r] != kNoRow) kernels().axpy(1, dx.row(r), dbelow.row(rows[r]), dx.cols);
  }
}

}  // namespace frugal
