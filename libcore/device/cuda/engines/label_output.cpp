#include "libcore/device/cuda/engines/label_output.h"

#include <algorithm>

namespace frugal::cuda {

LabelOutput::LabelOutput(const LabelShape& shape, Products products, std::uint32_t most,
                         bool training, Room& room)
    : shape_(shape), products_(products), most_(most) {
  shape_.block = std::min({shape_.block, shape_.labels, kMostColumns});
  stride_ = (shape_.block + kLogitsAtOnce - 1) / kLogitsAtOnce * kLogitsAtOnce;
  logits_ = room.take<float>(std::uint64_t{most} * stride_);
  if (training) row_gradients_ = room.take<float>(std::uint64_t{shape_.block} * shape_.dim);
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

void LabelOutput::compute_logits(const float* rows, const LabelBatch& batch,
                                 const LogitBlock& block, cudaStream_t stream) const {
  Product p{};
  p.a = {batch.hidden, shape_.dim, shape_.dim, false};
  p.b = {rows, shape_.dim, shape_.dim, false};
  p.c = block.logits;
  p.c_stride = block.stride;
  p.n = block.columns;
  p.m = most_;
  p.k = p.depth = shape_.dim;
  p.rows = batch.examples;
  make(p, false, true, batch, stream);
  if (batch.log_inclusion == nullptr || shape_.loss != LabelLoss::softmax) return;
  launch(correct_own_logits, dim3(most_), dim3(kThreads), stream, block, batch.own,
         batch.log_inclusion);
}

void LabelOutput::add_normalisers(const float* rows, const LabelBatch& batch,
                                  const LogitBlock& block, cudaStream_t stream) const {
  compute_logits(rows, batch, block, stream);
  launch(add_to_normalisers, dim3(most_), dim3(kThreads), stream, block, batch.own, normalisers());
}

void LabelOutput::finish_normalisers(const LabelBatch& batch, double* losses,
                                     cudaStream_t stream) const {
  launch(softmax_losses, grid_for(most_), dim3(kThreads), stream, batch.examples, batch.own,
         normalisers(), losses);
}

void LabelOutput::differentiate(const float* rows, const LabelBatch& batch, const LogitBlock& block,
                                double* losses, float* dhidden, cudaStream_t stream) const {
  compute_logits(rows, batch, block, stream);
  const dim3 examples(most_), threads(kThreads);
  if (shape_.loss == LabelLoss::softmax) {
    launch(softmax_gradients, examples, threads, stream, block, batch.own, normalisers());
  } else if (batch.log_inclusion == nullptr) {
    launch(one_vs_all_gradients, examples, threads, stream, block, batch.own, losses);
  } else {
    launch(sampled_one_vs_all_gradients, examples, threads, stream, block, batch.own,
           batch.log_inclusion, losses);
  }
  Product p{};
  p.a = {block.logits, block.stride, block.columns, false};
  p.b = {rows, shape_.dim, shape_.dim, false};
  p.c = dhidden;
  p.c_stride = p.n = shape_.dim;
  p.m = most_;
  p.k = p.depth = block.columns;
  p.rows = batch.examples;
  p.beta = block.begin == 0 ? 0 : 1;
  make(p, false, false, batch, stream);
  p.b = {batch.hidden, shape_.dim, shape_.dim, false};
  p.c = row_gradients_.data();
  p.m = block.columns;
  p.k = p.depth = most_;
  p.beta = 0;
  make(p, true, false, batch, stream);
}

}  // namespace frugal::cuda
