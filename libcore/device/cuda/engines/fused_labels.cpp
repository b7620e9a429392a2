#include "libcore/device/cuda/engines/fused_labels.h"

#include <algorithm>
#include <type_traits>

#include "libcore/device/cuda/kernels/labels/own_labels.h"
#include "libcore/device/cuda/sort_pages.h"

namespace frugal::cuda {
namespace {

/// Blocks of threads that keep a GPU busy: two on each of 132 multiprocessors. Part of the order of
/// sums, so the same on every device.
constexpr std::uint32_t kBusyTiles = 264;
/// Labels at a time: two rows of tiles for each of these blocks.
constexpr std::uint32_t kBlockOfLabels = 2 * kBusyTiles * kLabelRows;

std::uint32_t up_to(std::uint32_t n, std::uint32_t step) { return (n + step - 1) / step * step; }

/// Units that kernels are made for.
template <std::uint32_t kSteps>
constexpr std::uint32_t kUnitsOf = TileProducts<kSteps>::kUnits;

template <std::uint32_t kTileSteps, bool kIsSoftmax>
struct LabelKind {
  using Products = TileProducts<kTileSteps>;
  static constexpr std::uint32_t kSteps = kTileSteps, kParts = Products::kParts;
  static constexpr std::uint32_t kRows = Products::kOwnRows;
  static constexpr bool kSoftmax = kIsSoftmax;
};

}  // namespace

bool FusedLabels::takes(const LabelShape& shape, Products products) {
  return products == Products::bf16 && shape.units <= kMostTileUnits;
}

template <class Use>
void FusedLabels::with_kind(const Use& use) const {
  const auto of_steps = [&](auto softmax) {
    constexpr bool kSoftmax = decltype(softmax)::value;
    if (groups_ * kGroup == kUnitsOf<4>) return use(LabelKind<4, kSoftmax>());
    if (groups_ * kGroup == kUnitsOf<8>) return use(LabelKind<8, kSoftmax>());
    use(LabelKind<16, kSoftmax>());
  };
  if (shape_.loss == LabelLoss::softmax) return of_steps(std::true_type());
  of_steps(std::false_type());
}

FusedLabels::FusedLabels(const LabelShape& shape, std::uint32_t most, std::uint32_t most_own,
                         Room& room)
    : shape_(shape),
      block_(std::min(shape.block == 0 ? kBlockOfLabels : shape.block, shape.labels)),
      most_(up_to(most, kLabelRows)) {
  const std::uint32_t units = shape.units <= kUnitsOf<4>   ? kUnitsOf<4>
                              : shape.units <= kUnitsOf<8> ? kUnitsOf<8>
                                                           : kUnitsOf<16>;
  groups_ = units / kGroup;
  std::uint32_t parts = 1, tiles = 1;
  with_kind([&](auto kind) {
    parts = decltype(kind)::kParts;
    tiles = most_ / decltype(kind)::kRows;
  });
  const std::uint32_t rows = up_to(block_, kLabelRows);
  splits_ = std::clamp(kBusyTiles / (tiles * parts), 1U, rows / kLabelRows);
  const std::uint64_t examples = most_, splits = splits_;
  hidden_ = room.take<std::uint16_t>(examples * units);
  rows_ = room.take<std::uint16_t>(std::uint64_t{rows} * units);
  terms_ = room.take<float>(rows);
  example_terms_ = room.take<float>(examples);
  top_ = room.take<float>(parts * splits * examples);
  sums_ = room.take<double>(parts * splits * examples);
  products_ = room.take<float>(splits * examples * units);
  gradient_ = room.take<float>(std::uint64_t{block_} * shape.width);
  factors_ = room.take<float>(most_own);
  for (auto* array :
       {&own_labels_, &own_places_, &sorted_labels_, &sorted_places_, &own_examples_}) {
    *array = room.take<std::uint32_t>(most_own);
  }
  sort_room_ = room.take<std::uint8_t>(sort_room(most_own));
}

LabelTiles FusedLabels::tiles(const OutputRows& block, const LabelBatch& batch) const {
  return {batch.examples,
          reinterpret_cast<const Bf16Group*>(hidden_.data()),
          reinterpret_cast<const Bf16Group*>(rows_.data()),
          terms_.data(),
          example_terms_.data(),
          block.begin,
          block.count,
          shape_.units,
          groups_ * kGroup,
          shape_.width};
}

SplitSums FusedLabels::sums() const {
  return {top_.data(), sums_.data(), products_.data(), splits_, most_};
}

void FusedLabels::begin(const LabelBatch& batch, cudaStream_t stream) const {
  // A row of hidden units is one of a label, whose bias is 1.
  const TableRows units{const_cast<float*>(batch.hidden), shape_.width, shape_.units + 1, 0};
  round({units, nullptr, 0, most_}, batch.examples, hidden_, example_terms_, stream);
  const auto pairs = static_cast<std::uint32_t>(own_labels_.size());
  if (pairs == 0) return;
  launch(list_own, grid_for(pairs), dim3(kThreads), stream, batch.examples, batch.own, pairs,
         own_labels_.data(), own_places_.data(), own_examples_.data());
  sort_pairs(
      {own_labels_.data(), own_places_.data(), sorted_labels_.data(), sorted_places_.data(), pairs},
      sort_room_.data(), sort_room_.bytes(), stream);
}

void FusedLabels::round(const OutputRows& outputs, const std::uint32_t* count,
                        const DeviceArray<std::uint16_t>& rows, const DeviceArray<float>& terms,
                        cudaStream_t stream) const {
  const std::uint64_t groups = std::uint64_t{up_to(outputs.count, kLabelRows)} * groups_;
  launch(round_outputs, grid_for(groups), dim3(kThreads), stream, outputs, count, groups_, groups,
         reinterpret_cast<Bf16Group*>(rows.data()), terms.data());
}

void FusedLabels::add(const OutputRows& block, const LabelBatch& batch, cudaStream_t stream) const {
  round(block, nullptr, rows_, terms_, stream);
  with_kind([&](auto kind) {
    using Kind = decltype(kind);
    launch(add_label_tiles<Kind::kSteps, Kind::kSoftmax>,
           dim3(most_ / Kind::kRows, splits_, Kind::kParts), dim3(kLabelThreads), stream,
           tiles(block, batch), sums());
  });
}

void FusedLabels::finish(const OutputRows& outputs, const LabelBatch& batch, double* losses,
                         float* dhidden, cudaStream_t stream) const {
  const auto with = [&](auto kernel) {
    launch(kernel, grid_for(std::uint64_t{most_} * kWarp), dim3(kThreads), stream,
           tiles(outputs, batch), sums(), outputs, batch.own,
           ExampleResults{losses, dhidden, example_terms_.data(), factors_.data()});
  };
  if (shape_.loss == LabelLoss::softmax) return with(finish_examples<true>);
  with(finish_examples<false>);
}

void FusedLabels::differentiate(const OutputRows& block, const LabelBatch& batch,
                                cudaStream_t stream) const {
  round(block, nullptr, rows_, terms_, stream);
  const auto pairs = static_cast<std::uint32_t>(own_labels_.size());
  const OwnPairs own{sorted_labels_.data(), sorted_places_.data(), own_examples_.data(),
                     factors_.data(), pairs};
  with_kind([&](auto kind) {
    using Kind = decltype(kind);
    launch(differentiate_tiles<Kind::kSteps, Kind::kSoftmax>,
           dim3((block.count + Kind::kRows - 1) / Kind::kRows, Kind::kParts), dim3(kLabelThreads),
           stream, tiles(block, batch), gradient_.data());
    if (pairs == 0) return;
    launch(add_own_gradients<Kind::kSoftmax>, grid_for(std::uint64_t{pairs} * kWarp),
           dim3(kThreads), stream, tiles(block, batch), own, batch.own, gradient_.data());
  });
}

}  // namespace frugal::cuda
