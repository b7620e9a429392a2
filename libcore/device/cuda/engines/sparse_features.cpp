#include "libcore/device/cuda/engines/sparse_features.h"

#include <algorithm>

namespace frugal::cuda {
namespace {

/// Products are fastest where rows are a multiple of so many numbers.
constexpr std::uint32_t kAligned = 8;
/// Blocks of threads that take the rows of a step in turns.
constexpr std::uint32_t kStepBlocks = 2048;

std::uint32_t setting_in(const Settings& settings, const char* name) {
  return static_cast<std::uint32_t>(settings.number(name));
}

}  // namespace

DeviceFeatures::DeviceFeatures(const Settings& settings, bool training, Room& room,
                               NamedArrays& arrays)
    : most_(setting_in(settings, "batch_size")), stride_(setting_in(settings, "feature_stride")) {
  shape_.units = setting_in(settings, "hidden");
  shape_.width = (shape_.units + kAligned) / kAligned * kAligned;
  shape_.relu = settings.text("activation") == "relu";
  if (shape_.units > kMostUnits) {
    throw Failure(FRUGAL_UNSUPPORTED, std::to_string(shape_.units) +
                                          " hidden units, its kernels take " +
                                          std::to_string(kMostUnits));
  }
  features_ = settings.number("features");
  rows_ = room.take<float>(features_ * stride_);
  arrays.add("features.rows", rows_);
  hidden_ = room.take<float>(std::uint64_t{most_} * shape_.width);
  if (training) take_training(settings, room);
}

void DeviceFeatures::take_training(const Settings& settings, Room& room) {
  rule_ = rule_from(settings);
  dropout_ = {setting_in(settings, "dropout_threshold"), settings.real("dropout_scale")};
  by_example_ = settings.flag("step_by_example");
  if (by_example_ && (!facts_of(rule_.rule).by_factor || shape_.units > kUnitThreads)) {
    throw Failure(FRUGAL_BAD_ARGUMENT, "steps by example of adam or of wide rows");
  }
  gradient_ = room.take<float>(std::uint64_t{most_} * shape_.width);
  squares_ = room.take<float>(most_);
  const std::uint64_t entries = settings.number("batch_entries");
  if (entries >= kNoFeature) {
    throw Failure(FRUGAL_UNSUPPORTED, "batches of " + std::to_string(most_) +
                                          " examples have too many features for its kernels");
  }
  for (auto* array : {&entry_rows_, &places_, &sorted_rows_, &sorted_places_, &owners_, &heads_}) {
    *array = room.take<std::uint32_t>(entries);
  }
  weights_ = room.take<float>(entries);
  count_ = room.take<std::uint32_t>(1);
  sort_room_ = room.take<std::uint8_t>(sort_room(entries));
}

void DeviceFeatures::forward(const SparseValues* values, const SparseExamples& x, bool dropout,
                             cudaStream_t stream) const {
  launch(hidden_units, dim3(most_), dim3(kUnitThreads), stream, values, x, table(), shape_,
         dropout ? dropout_ : UnitDropout{0, 1}, hidden_.data());
}

void DeviceFeatures::step(const SparseValues* values, const SparseExamples& x,
                          const std::uint32_t* entries, const Stream& stream) const {
  const auto most = static_cast<std::uint32_t>(entry_rows_.size());
  const BatchEntries listed{entries, most};
  const dim3 grid = grid_for(most), threads(kThreads), unit_threads(kUnitThreads);
  launch(hidden_gradients, dim3(most_), unit_threads, stream, values, x, shape_, dropout_,
         static_cast<const float*>(hidden_.data()), gradient_.data(), squares_.data());
  launch(list_entries, grid, threads, stream, values, x, listed, entry_rows_.data(),
         places_.data());
  sort_pairs({entry_rows_.data(), places_.data(), sorted_rows_.data(), sorted_places_.data(), most,
              key_bits(features_)},
             sort_room_.data(), sort_room_.bytes(), stream);
  stream.zero(count_.data(), sizeof(std::uint32_t));
  const RowRuns runs{sorted_rows_.data(), owners_.data(), weights_.data(),
                     heads_.data(),       count_.data(),  most};
  launch(find_runs, grid, threads, stream, values, x, listed,
         static_cast<const std::uint32_t*>(sorted_places_.data()), runs);
  const FeatureStep s{values,           rule_.numbers, table(),        runs,
                      gradient_.data(), shape_.width,  squares_.data()};
  const auto with = [&](auto kernel) {
    launch(kernel, dim3(std::min(most, kStepBlocks)), unit_threads, stream, s);
  };
  with_rule(rule_.rule, [&](auto kind) {
    constexpr Rule kRule = decltype(kind)::value;
    if constexpr (kByFactor<kRule>) {
      if (by_example_) return with(step_feature_bags<kRule>);
    }
    with(step_feature_rows<kRule>);
  });
}

}  // namespace frugal::cuda
