#include "libcore/device/cuda/engines/label_output.h"

#include <algorithm>

namespace frugal::cuda {
namespace {

/// Logits that are held at a time, unless a setting says otherwise: 16 MiB, which caches keep.
constexpr std::uint64_t kHeldLogits = std::uint64_t{1} << 22;
constexpr std::uint32_t kFewestColumns = 256;

/// Labels whose logits are held at a time.
std::uint32_t held_labels(const LabelShape& shape, std::uint32_t most) {
  if (shape.block != 0) return std::min({shape.block, shape.labels, kMostColumns});
  const auto columns = static_cast<std::uint32_t>(kHeldLogits / most);
  return std::min(std::clamp(columns, kFewestColumns, kMostColumns), shape.labels);
}

}  // namespace

LabelOutput::LabelOutput(const LabelShape& shape, Products products, std::uint32_t most,
                         std::uint32_t most_own, bool training, Room& room)
    : shape_(shape),
      products_(products),
      most_(most),
      is_fused_(training && FusedLabels::takes(shape, products)) {
  if (is_fused_) fused_ = FusedLabels(shape, most, most_own, room);
  shape_.block = held_labels(shape, most);
  stride_ = (shape_.block + kLogitsAtOnce - 1) / kLogitsAtOnce * kLogitsAtOnce;
  logits_ = room.take<float>(std::uint64_t{most} * stride_);
  rows_ = room.take<float>(std::uint64_t{shape_.block} * shape_.width);
  if (training) row_gradients_ = room.take<float>(std::uint64_t{shape_.block} * shape_.width);
  if (shape_.loss != LabelLoss::softmax) return;
  largest_ = room.take<float>(most);
  sums_ = room.take<double>(most);
  own_ = room.take<double>(most);
}

void LabelOutput::make(const Product& p, bool trans_a, bool trans_b, const LabelBatch& batch,
                       cudaStream_t stream) const {
  if (batch.library != nullptr &&
      multiply_by(*batch.library, p, trans_a, trans_b, products_, stream)) {
    return;
  }
  multiply_in_tiles(p, trans_a, trans_b, products_, 1, stream);
}

void LabelOutput::compute_logits(const OutputRows& block, const float* log_inclusion,
                                 const LabelBatch& batch, cudaStream_t stream) const {
  const bool is_corrected = log_inclusion != nullptr && shape_.loss == LabelLoss::softmax;
  launch(gather_outputs, grid_for(std::uint64_t{block.count} * shape_.width), dim3(kThreads),
         stream, block, is_corrected ? log_inclusion : nullptr, shape_.width, rows_.data());
  Product p{};
  p.a = {batch.hidden, shape_.width, shape_.width, false};
  p.b = {rows_.data(), shape_.width, shape_.width, false};
  p.c = logits_.data();
  p.c_stride = stride_;
  p.n = block.count;
  p.m = most_;
  p.k = p.depth = shape_.width;
  p.rows = batch.examples;
  make(p, false, true, batch, stream);
  if (!is_corrected) return;
  launch(correct_own_logits, dim3(most_), dim3(kThreads), stream, logits_of(block, batch),
         batch.own, log_inclusion);
}

void LabelOutput::add_normalisers(const OutputRows& block, const float* log_inclusion,
                                  const LabelBatch& batch, cudaStream_t stream) const {
  compute_logits(block, log_inclusion, batch, stream);
  launch(add_to_normalisers, dim3(most_), dim3(kThreads), stream, logits_of(block, batch),
         batch.own, normalisers());
}

void LabelOutput::finish_normalisers(const LabelBatch& batch, double* losses,
                                     cudaStream_t stream) const {
  launch(softmax_losses, grid_for(most_), dim3(kThreads), stream, batch.examples, batch.own,
         normalisers(), losses);
}

void LabelOutput::differentiate(const OutputRows& block, const float* log_inclusion,
                                const LabelBatch& batch, double* losses, float* dhidden,
                                cudaStream_t stream) const {
  compute_logits(block, log_inclusion, batch, stream);
  const LogitBlock logits = logits_of(block, batch);
  const dim3 examples(most_), threads(kThreads);
  if (shape_.loss == LabelLoss::softmax) {
    launch(softmax_gradients, examples, threads, stream, logits, batch.own, normalisers());
  } else {
    launch(one_vs_all_gradients, examples, threads, stream, logits, batch.own, log_inclusion,
           losses);
  }
  Product p{};
  p.a = {logits_.data(), stride_, block.count, false};
  p.b = {rows_.data(), shape_.width, shape_.width, false};
  p.c = dhidden;
  p.c_stride = p.n = shape_.width;
  p.m = most_;
  p.k = p.depth = block.count;
  p.rows = batch.examples;
  p.beta = block.begin == 0 ? 0 : 1;
  make(p, false, false, batch, stream);
  p.b = {batch.hidden, shape_.width, shape_.width, false};
  p.c = row_gradients_.data();
  p.m = block.count;
  p.k = p.depth = most_;
  p.beta = 0;
  make(p, true, false, batch, stream);
}

}  // namespace frugal::cuda
