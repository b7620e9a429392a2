#include "libcore/device/cuda/engines/tgn_decoder.h"

namespace frugal::cuda {
namespace {

LayerWeights make(const TgnParts& parts, const char* name, const LayerShape& shape) {
  return parts.layer(std::string("decoder.") + name, shape, parts.products,
                     2 * parts.shape.batch_size);
}

}  // namespace

TgnDecoder::TgnDecoder(const TgnParts& parts)
    : dim_(parts.shape.dim),
      pair_dim_(parts.shape.pair_dim),
      source_(make(parts, "source", {dim_, dim_, false, false})),
      destination_(make(parts, "destination", {dim_, dim_, true, false})),
      second_(make(parts, "second", {dim_, 1, true, false})) {
  if (pair_dim_ == 0) return;
  // Features tell moments apart by more digits than bf16 has.
  pairs_.push_back(parts.layer("decoder.pairs", {pair_dim_, dim_, false, false}, Products::f32,
                               2 * parts.shape.batch_size));
}

void TgnDecoder::lay_out(Workspace& room, std::uint32_t embeddings) {
  events_ = embeddings / 3;
  const std::uint64_t n = std::uint64_t{events_} * dim_;
  sources_ = room.take<float>(n);
  dsources_ = room.take<float>(n);
  others_ = room.take<float>(2 * n);
  dothers_ = room.take<float>(2 * n);
  hidden_ = room.take<float>(2 * n);
  logits_ = room.take<float>(2 * std::uint64_t{events_});
  dlogits_ = room.take<float>(2 * std::uint64_t{events_});
  losses_ = room.take<double>(events_);
}

void TgnDecoder::train(const TgnStep& step, const float* embeddings, RunSums* sums,
                       float* dembeddings) {
  forward(step, embeddings);
  launch(pair_losses, grid_for(events_), dim3(kThreads), step.stream, events(step).end,
         static_cast<const float*>(logits_), losses_, dlogits_);
  launch(add_losses, dim3(1), dim3(kThreads), step.stream, &step.plan.counts->network,
         static_cast<const double*>(losses_), sums);
  backward(step, embeddings, dembeddings);
}

void TgnDecoder::forward(const TgnStep& step, const float* embeddings) {
  source_.forward({embeddings, 3 * dim_}, {sources_, dim_}, events(step), 0, step.stream);
  for (std::uint32_t other = 0; other < 2; ++other) {
    destination_.forward({embeddings + (1 + other) * dim_, 3 * dim_},
                         {others_ + other * dim_, 2 * dim_}, events(step), 0, step.stream);
  }
  for (const LayerWeights& layer : pairs_) {
    layer.forward({step.plan.pairs, pair_dim_}, {others_, dim_}, pairs(step), 1, step.stream);
  }
  launch(join_pairs, grid(pairs(step)), dim3(kThreads), step.stream, pairs(step).end, dim_,
         static_cast<const float*>(sources_), static_cast<const float*>(others_), hidden_);
  second_.forward({hidden_, dim_}, {logits_, 1}, pairs(step), 0, step.stream);
}

void TgnDecoder::backward(const TgnStep& step, const float* embeddings, float* dembeddings) {
  second_.gradient({hidden_, dim_}, {dlogits_, 1}, pairs(step), false, step.stream);
  second_.backward({dlogits_, 1}, {dothers_, dim_}, pairs(step), {0, hidden_}, step.stream);
  launch(add_pairs, grid(events(step)), dim3(kThreads), step.stream, events(step).end, dim_,
         static_cast<const float*>(dothers_), dsources_);
  source_.gradient({embeddings, 3 * dim_}, {dsources_, dim_}, events(step), false, step.stream);
  source_.backward({dsources_, dim_}, {dembeddings, 3 * dim_}, events(step), {}, step.stream);
  for (std::uint32_t other = 0; other < 2; ++other) {
    const RowsIn dy{dothers_ + other * dim_, 2 * dim_};
    const std::uint32_t column = (1 + other) * dim_;
    destination_.gradient({embeddings + column, 3 * dim_}, dy, events(step), other != 0,
                          step.stream);
    destination_.backward(dy, {dembeddings + column, 3 * dim_}, events(step), {}, step.stream);
  }
  for (LayerWeights& layer : pairs_) {
    layer.gradient({step.plan.pairs, pair_dim_}, {dothers_, dim_}, pairs(step), false, step.stream);
  }
}

void TgnDecoder::take_step(const StepValues* values, StepList& list) const {
  for (const LayerWeights* layer : {&source_, &destination_, &second_}) layer->step(values, list);
  for (const LayerWeights& layer : pairs_) layer.step(values, list);
}

}  // namespace frugal::cuda
