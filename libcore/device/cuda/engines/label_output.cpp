#include "libcore/device/cuda/engines/label_output.h"

#include <algorithm>

namespace frugal::cuda {

LabelOutput::LabelOutput(const LabelShape& shape, Products products, std::uint32_t most, Room& room)
    : shape_(shape), products_(products), most_(most) {
  shape_.block = std::min(shape_.block, shape_.labels);
  logits_ = room.take<float>(std::uint64_t{most} * shape_.block);
  row_gradients_ = room.take<float>(std::uint64_t{shape_.block} * shape_.dim);
  if (shape_.loss != LabelLoss::softmax) return;
  largest_ = room.take<float>(most);
  sums_ = room.take<double>(most);
  own_ = room.take<double>(most);
}

LogitBlock LabelOutput::block_at(std::uint32_t begin, const LabelBatch& batch) const {
  return {logits_.data(), begin, std::min(shape_.block, shape_.labels - begin), batch.examples};
}

void LabelOutput::compute_logits(const float* rows, const LabelBatch& batch,
                                 const LogitBlock& block, cudaStream_t stream) const {
  Product p{};
  p.a = {batch.hidden, shape_.dim, shape_.dim, false};
  p.b = {rows + std::uint64_t{block.begin} * shape_.dim, shape_.dim, shape_.dim, false};
  p.c = block.logits;
  p.c_stride = p.n = block.columns;
  p.m = most_;
  p.k = p.depth = shape_.dim;
  p.rows = batch.examples;
  multiply_in_tiles(p, false, true, products_, 1, stream);
}

void LabelOutput::find_normalisers(const float* rows, const LabelBatch& batch, double* losses,
                                   cudaStream_t stream) const {
  for (std::uint32_t begin = 0; begin < shape_.labels; begin += shape_.block) {
    const LogitBlock block = block_at(begin, batch);
    compute_logits(rows, batch, block, stream);
    launch(add_to_normalisers, dim3(most_), dim3(kThreads), stream, block, batch.own,
           normalisers());
  }
  launch(log_normalisers, grid_for(most_), dim3(kThreads), stream, batch.examples, batch.own,
         normalisers(), losses);
}

void LabelOutput::differentiate(const float* rows, const LabelBatch& batch, const LogitBlock& block,
                                double* losses, float* dhidden, cudaStream_t stream) const {
  compute_logits(rows, batch, block, stream);
  if (shape_.loss == LabelLoss::softmax) {
    launch(softmax_gradients, dim3(most_), dim3(kThreads), stream, block, batch.own, sums_.data());
  } else {
    launch(one_vs_all_gradients, dim3(most_), dim3(kThreads), stream, block, batch.own, losses);
  }
  Product p{};
  p.a = {block.logits, block.columns, block.columns, false};
  p.b = {rows + std::uint64_t{block.begin} * shape_.dim, shape_.dim, shape_.dim, false};
  p.c = dhidden;
  p.c_stride = p.n = shape_.dim;
  p.m = most_;
  p.k = p.depth = block.columns;
  p.rows = batch.examples;
  p.beta = block.begin == 0 ? 0 : 1;
  multiply_in_tiles(p, false, false, products_, 1, stream);
  p.b = {batch.hidden, shape_.dim, shape_.dim, false};
  p.c = row_gradients_.data();
  p.m = block.columns;
  p.k = p.depth = most_;
  p.beta = 0;
  multiply_in_tiles(p, true, false, products_, 1, stream);
}

}  // namespace frugal::cuda
