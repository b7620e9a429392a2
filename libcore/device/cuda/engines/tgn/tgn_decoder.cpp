#include "libcore/device/cuda/engines/tgn/tgn_decoder.h"

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
      last_layer_(parts.shape.layers - 1),
      source_(make(parts, "source", {dim_, dim_, false, false})),
      destination_(make(parts, "destination", {dim_, dim_, true, false})),
      second_(dim_ + 1, parts.room) {
  if (parts.rule != nullptr) second_.prepare_training(*parts.rule, kLateParts, parts.room);
  second_.name("decoder.second", parts.arrays);
  if (pair_dim_ == 0) return;
  // Features tell moments apart by more digits than bf16 has.
  pairs_.push_back(parts.layer("decoder.pairs", {pair_dim_, dim_, false, false}, Products::f32,
                               2 * parts.shape.batch_size));
}

void TgnDecoder::lay_out(Workspace& room, std::uint32_t embeddings) {
  const std::uint64_t events = embeddings / 3, n = events * dim_;
  sources_ = room.take<float>(n);
  others_ = room.take<float>(2 * n);
  other_rows_ = room.take<float>(2 * n);
  hidden_ = room.take<float>(2 * n + 2 * events);
  dlogits_ = room.take<float>(2 * events);
  losses_ = room.take<double>(events);
}

void TgnDecoder::train(const TgnStep& step, const float* embeddings, float* dembeddings) {
  forward(step, embeddings);
  const RowRange rows = events(step);
  launch(score_pairs, grid_of_rows(rows.most), block_of_rows(), step.stream,
         LinkPairs{&step.plan.counts->events, dim_, embeddings, second_.values(), sources_, others_,
                   other_rows_, hidden_, dlogits_, losses_},
         zero_rows(rows));
  backward(step, embeddings, dembeddings);
}

void TgnDecoder::forward(const TgnStep& step, const float* embeddings) {
  ProductGroup group(step.stream);
  const RowRange rows = events(step, &group);
  source_.forward({embeddings, 3 * dim_}, {sources_, dim_}, rows, 0, step.stream);
  for (std::uint32_t other = 0; other < 2; ++other) {
    destination_.forward({embeddings + (1 + other) * dim_, 3 * dim_},
                         {others_ + other * dim_, 2 * dim_}, rows, 0, step.stream);
  }
  group.run();
  for (const LayerWeights& layer : pairs_) {
    layer.forward({step.plan.pairs, pair_dim_}, {others_, dim_}, pairs(step), 1, step.stream);
  }
}

void TgnDecoder::backward(const TgnStep& step, const float* embeddings, float* dembeddings) {
  ProductGroup group(step.stream), &late = step.late->products;
  const RowRange rows = events(step, &group);
  source_.backward({sources_, dim_}, {dembeddings, 3 * dim_}, rows, {}, step.stream);
  for (std::uint32_t other = 0; other < 2; ++other) {
    destination_.backward({others_ + other * dim_, 2 * dim_},
                          {dembeddings + (1 + other) * dim_, 3 * dim_}, rows, {}, step.stream);
  }
  group.run();
  source_.gradient({embeddings, 3 * dim_}, {sources_, dim_}, events(step, &late), false,
                   step.stream);
  destination_.gradient({other_rows_, dim_}, {others_, dim_}, pairs(step, &late), false,
                        step.stream);
  for (LayerWeights& layer : pairs_) {
    layer.gradient({step.plan.pairs, pair_dim_}, {others_, dim_}, pairs(step, &late), false,
                   step.stream);
  }
  step.late->add({pairs(step).end,
                  hidden_,
                  nullptr,
                  dim_ + 1,
                  dim_ + 1,
                  dlogits_,
                  dim_ + 1,
                  {},
                  nullptr,
                  second_.part(0),
                  nullptr});
}

void TgnDecoder::take_step(const StepValues* values, StepList& list) const {
  for (const LayerWeights* layer : {&source_, &destination_}) layer->step(values, list);
  second_.step(values, list);
  for (const LayerWeights& layer : pairs_) layer.step(values, list);
}

}  // namespace frugal::cuda
