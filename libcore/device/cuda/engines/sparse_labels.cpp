#include "libcore/device/cuda/engines/sparse_labels.h"

#include <algorithm>

namespace frugal::cuda {
namespace {

std::uint32_t number_in(const Settings& settings, const char* name) {
  return static_cast<std::uint32_t>(settings.number(name));
}

LabelShape label_shape(const Settings& settings, std::uint32_t width) {
  const std::string loss = settings.text("loss");
  if (loss != "softmax" && loss != "ova") {
    throw Failure(FRUGAL_UNSUPPORTED, "it has no loss " + loss);
  }
  return {number_in(settings, "labels"), number_in(settings, "hidden"), width,
          number_in(settings, "label_block"),
          loss == "softmax" ? LabelLoss::softmax : LabelLoss::one_vs_all};
}

}  // namespace

LabelRanks::LabelRanks(std::uint32_t most, std::uint32_t most_ranks, Room& room) : most_(most) {
  if (most_ranks > kMostRanks) {
    throw Failure(FRUGAL_UNSUPPORTED, "its kernels rank up to " + std::to_string(kMostRanks) +
                                          " labels, not " + std::to_string(most_ranks));
  }
  const std::uint64_t size = std::uint64_t{most} * most_ranks;
  best_ = room.take<RankedLabel>(size);
  labels_ = room.take<std::uint32_t>(size);
  scores_ = room.take<float>(size);
}

void LabelRanks::rank(const LogitBlock& block, std::uint32_t ranks, cudaStream_t stream) const {
  const auto with = [&](auto kernel) {
    launch(kernel, dim3(most_), dim3(kThreads), stream, block, ranks, best_.data());
  };
  if (ranks <= kFewRanked / 2) return with(rank_labels<kFewRanked>);
  with(rank_labels<kManyRanked>);
}

DeviceLabels::DeviceLabels(const Settings& settings, std::uint32_t width, bool training, Room& room,
                           NamedArrays& arrays)
    : labels_(number_in(settings, "labels")),
      dim_(number_in(settings, "hidden") + 1),
      width_(width),
      stride_(number_in(settings, "label_stride")),
      halves_(settings.flag("half_labels") ? dim_ - 1 : 0),
      output_(label_shape(settings, width), products_from(settings),
              number_in(settings, "batch_size"), training ? number_in(settings, "batch_labels") : 0,
              training, room),
      ranks_(number_in(settings, "batch_size"), number_in(settings, "ranks"), room) {
  if (training) rule_ = rule_from(settings);
  rows_ = room.take<float>(std::uint64_t{labels_} * stride_);
  arrays.add("labels.rows", rows_);
}

void DeviceLabels::step(const OutputStep& s, cudaStream_t stream) const {
  const dim3 grid = grid_for(std::uint64_t{s.outputs.count} * kWarp), threads(kThreads);
  with_rule(rule_.rule, [&](auto kind) {
    launch(step_outputs<decltype(kind)::value>, grid, threads, stream, s);
  });
}

void DeviceLabels::train(const SparseValues* values, const BatchOutputs& outputs,
                         const LabelBatch& batch, double* losses, float* dhidden,
                         cudaStream_t stream) {
  const std::uint32_t count = outputs.labels == nullptr ? labels_ : outputs.count;
  output_.train({table(), outputs.labels, 0, count}, outputs.log_inclusion, batch, losses, dhidden,
                stream, [&](const OutputRows& block, const float* gradient) {
                  step({values, rule_.numbers, block, gradient, width_}, stream);
                });
}

void DeviceLabels::rank(const LabelBatch& batch, std::uint32_t ranks, cudaStream_t stream) {
  ranks_.find(output_, {table(), nullptr, 0, labels_}, batch, ranks, stream);
}

}  // namespace frugal::cuda
