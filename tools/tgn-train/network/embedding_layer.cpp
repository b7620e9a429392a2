#include "tools/tgn-train/network/embedding_layer.h"

#include <algorithm>

#include "libcore/base/hash.h"
#include "libcore/kernels/kernels.h"
#include "tools/tgn-train/network/attention_layer.h"
#include "tools/tgn-train/network/memory_layer.h"
#include "tools/tgn-train/network/sum_layer.h"
#include "tools/tgn-train/network/transformer_layer.h"

namespace frugal::tgn {

std::unique_ptr<EmbeddingLayer> make_embedding_layer(const TgnOptions& options,
                                                     const TgnInputs& inputs, std::size_t layer) {
  switch (options.embedding) {
    case EmbeddingKind::identity:
    case EmbeddingKind::time: return std::make_unique<MemoryLayer>(options);
    case EmbeddingKind::sum: return std::make_unique<SumLayer>(options, inputs, layer);
    case EmbeddingKind::transformer: return std::make_unique<TransformerLayer>(options, inputs);
    case EmbeddingKind::attention: break;
  }
  return std::make_unique<AttentionLayer>(options, inputs, layer);
}

void draw_dropout(const TgnPass& pass, std::size_t layer, float share, std::size_t n,
                  std::vector<float>& keep) {
  keep.clear();
  if (!pass.training || share == 0) return;
  keep.assign(n, 1.0F);
  const std::uint64_t key = hash_combine(hash_combine(mix64(pass.seed), pass.step), layer);
  const auto threshold = static_cast<std::uint32_t>(static_cast<double>(share) * 0x1p32);
  kernels().dropout(keep.data(), n, static_cast<std::uint32_t>(key), threshold, 1 / (1 - share));
}

void copy_own_rows(const LayerInput& input, RowStore& rows) {
  const QueryRows& q = *input.queries;
  const std::size_t dim = input.below.cols;
  rows.resize(q.size(), dim + 1);
  for (std::size_t r = 0; r < q.size(); ++r) {
    std::copy_n(input.below.row(q.self[r]), dim, rows.view().row(r));
  }
  set_ones(rows.view());
}

void set_ones(MatrixView<float> rows) {
  for (std::size_t r = 0; r < rows.rows; ++r) rows(r, rows.cols - 1) = 1;
}

void add_to_rows(MatrixView<const float> dx, const std::vector<std::uint32_t>& rows,
                 MatrixView<float> dbelow) {
  for (std::size_t r = 0; r < dx.rows; ++r) {
    if (rows[r] != kNoRow) kernels().axpy(1, dx.row(r), dbelow.row(rows[r]), dx.cols);
  }
}

}  // namespace frugal::tgn
