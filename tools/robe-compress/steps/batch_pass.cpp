#include "tools/robe-compress/steps/batch_pass.h"

#include <algorithm>
#include <numeric>

#include "libcore/kernels/kernels.h"
#include "libcore/metrics/classification.h"

namespace frugal::robe {
namespace {

constexpr std::size_t kFewestRows = 32, kMostRows = 128;

}  // namespace

std::size_t rows_at_a_time(std::size_t batch, std::size_t threads) {
  const std::size_t share = (batch + threads - 1) / threads;
  return std::clamp((share + 15) / 16 * 16, kFewestRows, kMostRows);
}

BatchPass::BatchPass(const Embedding& embedding, const Network& network, std::size_t size,
                     const EmbeddingDecay& decay)
    : embedding_(embedding),
      network_(network),
      width_(embedding.tables().size() * embedding.tables().dim()),
      decay_(decay),
      embeddings_(size * width_, uninitialized),
      gradients_(size * width_, uninitialized),
      logits_(size),
      dlogits_(size),
      losses_(size),
      network_batch_(network.make_batch(size, /*training=*/true)) {}

NetworkInput BatchPass::input(const ClickBatch& batch) const {
  return {batch.numbers_view(), {embeddings_.data(), batch.size, width_, width_}, 0, batch.size};
}

MatrixView<const float> BatchPass::gradients(const ClickBatch& batch) const {
  return {gradients_.data(), batch.size, width_, width_};
}

double BatchPass::loss(const ClickBatch& batch) const {
  return std::accumulate(losses_.begin(), losses_.begin() + static_cast<std::ptrdiff_t>(batch.size),
                         0.0);
}

void BatchPass::run(const ClickBatch& batch, std::size_t begin, std::size_t end, float share) {
  const MatrixView<float> embeddings(embeddings_.data(), batch.size, width_);
  embedding_.lookup(batch.rows_view().rows_between(begin, end),
                    embeddings.rows_between(begin, end));
  NetworkInput range = input(batch);
  range.begin = begin;
  range.end = end;
  network_.forward(range, *network_batch_, {logits_.data(), batch.size});
  for (std::size_t i = begin; i < end; ++i) {
    losses_[i] = logistic_loss(logits_[i], batch.labels[i]);
    dlogits_[i] = logits_[i];
  }
  kernels().sigmoid(dlogits_.data() + begin, end - begin);
  for (std::size_t i = begin; i < end; ++i) {
    dlogits_[i] = share * (dlogits_[i] - batch.labels[i]);
  }
  network_.backward(range, *network_batch_, {dlogits_.data(), batch.size},
                    {gradients_.data(), batch.size, width_});
  add_decay(batch, begin, end, share);
}

void BatchPass::add_decay(const ClickBatch& batch, std::size_t begin, std::size_t end,
                          float share) {
  const float* embeddings = embeddings_.data() + begin * width_;
  float* gradients = gradients_.data() + begin * width_;
  if (decay_.all != 0) {
    kernels().axpy(share * decay_.all, embeddings, gradients, (end - begin) * width_);
  }
  if (decay_.by_row.empty()) return;
  const TableSet& tables = embedding_.tables();
  const MatrixView<const std::uint32_t> rows = batch.rows_view();
  for (std::size_t i = begin; i < end; ++i) {
    for (std::size_t t = 0; t < tables.size(); ++t) {
      const float decay = decay_.by_row[tables.first_row(t) + rows(i, t)];
      kernels().axpy(share * decay, embeddings, gradients, tables.dim());
      embeddings += tables.dim();
      gradients += tables.dim();
    }
  }
}

}  // namespace frugal::robe
