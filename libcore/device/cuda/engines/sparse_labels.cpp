#include "libcore/device/cuda/engines/sparse_labels.h"

#include <algorithm>

namespace frugal::cuda {
namespace {

/// Logits that are held at a time, unless a setting says otherwise: 16 MiB, which caches keep.
constexpr std::uint64_t kHeldLogits = std::uint64_t{1} << 22;
constexpr std::uint32_t kFewestColumns = 256;

std::uint32_t number_in(const Settings& settings, const char* name) {
  return static_cast<std::uint32_t>(settings.number(name));
}

/// Labels whose logits are held at a time.
std::uint32_t block_from(const Settings& settings) {
  const std::uint32_t asked = number_in(settings, "label_block");
  if (asked != 0) return asked;
  const std::uint64_t columns = kHeldLogits / number_in(settings, "batch_size");
  return static_cast<std::uint32_t>(
      std::clamp<std::uint64_t>(columns, kFewestColumns, kMostColumns));
}

LabelShape label_shape(const Settings& settings, std::uint32_t width) {
  const std::string loss = settings.text("loss");
  if (loss != "softmax" && loss != "ova") {
    throw Failure(FRUGAL_UNSUPPORTED, "it has no loss " + loss);
  }
  return {number_in(settings, "labels"), width, block_from(settings),
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
  losses_ = room.take<double>(most);
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
      loss_(label_shape(settings, width).loss),
      output_(label_shape(settings, width), products_from(settings),
              number_in(settings, "batch_size"), training, room),
      ranks_(number_in(settings, "batch_size"), number_in(settings, "ranks"), room) {
  if (training) rule_ = rule_from(settings);
  rows_ = room.take<float>(std::uint64_t{labels_} * stride_);
  gathered_ = room.take<float>(
      std::uint64_t{std::min({block_from(settings), labels_, kMostColumns})} * width);
  arrays.add("labels.rows", rows_);
}

const float* DeviceLabels::gather(const BatchOutputs& outputs, std::uint32_t begin,
                                  std::uint32_t count, cudaStream_t stream) const {
  const OutputRows rows{table(), outputs.labels, begin, count};
  launch(gather_outputs, grid_for(std::uint64_t{count} * width_), dim3(kThreads), stream, rows,
         loss_ == LabelLoss::softmax ? outputs.log_inclusion : nullptr, width_, gathered_.data());
  return gathered_.data();
}

void DeviceLabels::step(const OutputStep& s, cudaStream_t stream) const {
  const dim3 grid = grid_for(std::uint64_t{s.outputs.count} * kWarp), threads(kThreads);
  switch (rule_.rule) {
    case Rule::sgd: return launch(step_outputs<Rule::sgd>, grid, threads, stream, s);
    case Rule::adagrad: return launch(step_outputs<Rule::adagrad>, grid, threads, stream, s);
    case Rule::adam: return launch(step_outputs<Rule::adam>, grid, threads, stream, s);
  }
}

void DeviceLabels::train(const SparseValues* values, const BatchOutputs& outputs, LabelBatch batch,
                         double* losses, float* dhidden, cudaStream_t stream) {
  batch.log_inclusion = outputs.log_inclusion;
  output_.train(
      outputs.labels == nullptr ? labels_ : outputs.count,
      [&](std::uint32_t begin, std::uint32_t count) {
        return gather(outputs, begin, count, stream);
      },
      batch, losses, dhidden, stream,
      [&](std::uint32_t begin, std::uint32_t count, const float* gradient) {
        step({values, rule_.numbers, {table(), outputs.labels, begin, count}, gradient, width_},
             stream);
      });
}

void DeviceLabels::rank(const LabelBatch& batch, std::uint32_t ranks, cudaStream_t stream) {
  ranks_.find(
      output_,
      [&](std::uint32_t begin, std::uint32_t count) { return gather({}, begin, count, stream); },
      batch, ranks, stream);
}

}  // namespace frugal::cuda
