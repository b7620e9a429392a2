#include "libcore/device/cuda/engines/gnn/gnn_features.h"

#include <algorithm>

namespace frugal::cuda {
namespace {

FeatureType type_from(const std::string& name) {
  if (name == "f32") return FeatureType::f32;
  if (name == "f16") return FeatureType::f16;
  if (name == "bf16") return FeatureType::bf16;
  if (name == "i8") return FeatureType::i8;
  throw Failure(FRUGAL_UNSUPPORTED, "it has no features of type " + name);
}

std::uint64_t bytes_of(FeatureType type) {
  return type == FeatureType::f32 ? 4 : type == FeatureType::i8 ? 1 : 2;
}

/// Look-ups keep starts of blocks of as many rows.
constexpr std::uint32_t kMostExpanded = 65536;

}  // namespace

GnnFeatures::GnnFeatures(const Settings& settings, std::uint32_t nodes, Room& room,
                         NamedArrays& arrays)
    : dim_(static_cast<std::uint32_t>(settings.number("features"))),
      type_(type_from(settings.text("feature_type"))),
      with_batch_(settings.text("feature_place") == "batch") {
  if (with_batch_) return;
  if (settings.text("feature_place") != "array") {
    take(settings, room, arrays);
    return;
  }
  if (settings.number("fields") != 1 || settings.number("dim") != dim_) {
    throw Failure(FRUGAL_BAD_ARGUMENT, "an array of features is one table as wide as these");
  }
  expanded_ = std::clamp(nodes, 1U, kMostExpanded);
  looked_up_ = room.take<StepValues>(1);
  array_ = std::make_unique<DeviceEmbedding>(settings, expanded_, looked_up_.data(), false, room,
                                             arrays);
}

/// Some rows after the others.
void GnnFeatures::expand(const std::uint32_t* nodes, std::uint32_t count, const RowDropout& dropout,
                         float* out, const Stream& stream) const {
  for (std::uint32_t begin = 0; begin < count; begin += expanded_) {
    const std::uint32_t rows = std::min(expanded_, count - begin);
    launch(count_rows, dim3(1), dim3(1), stream, looked_up_.data(), rows);
    array_->forward(nodes + begin, stream);
    stream.copy(out + std::uint64_t{begin} * dim_, array_->output(), std::uint64_t{rows} * dim_);
  }
  if (dropout.threshold == 0) return;
  launch(activate_rows, grid_of_rows(count), block_of_rows(), stream,
         RowUnits{count, dim_, RowActivation::none, dropout}, static_cast<const float*>(out), out);
}

void GnnFeatures::take(const Settings& settings, Room& room, NamedArrays& arrays) {
  const std::string place = settings.text("feature_place");
  sparse_ = settings.flag("feature_sparse");
  has_values_ = settings.flag("feature_values");
  const std::uint64_t rows = settings.number("feature_rows");
  const std::uint64_t entries = settings.number("feature_entries");
  const std::uint64_t bytes = has_values_ ? entries * bytes_of(type_) : 0;
  char* data = nullptr;
  if (place == "device") {
    device_ = room.take<char>(bytes);
    data = device_.data();
  } else if (place == "pinned") {
    if (sparse_) throw Failure(FRUGAL_UNSUPPORTED, "its sparse features lie on the device alone");
    if (!room.counts_only()) pinned_ = PinnedArray<char>(bytes);
    data = pinned_.data();
  } else {
    throw Failure(FRUGAL_UNSUPPORTED, "it has no place '" + place + "' for features");
  }
  const frugal_type types[] = {FRUGAL_F32, FRUGAL_U8, FRUGAL_BF16, FRUGAL_I8};
  const bool half = type_ == FeatureType::f16;
  if (has_values_) {
    arrays.add("features", {data, types[static_cast<int>(type_)], half ? bytes : entries});
  }
  if (type_ == FeatureType::i8) {
    scales_ = room.take<float>(rows);
    arrays.add("features.scales", scales_);
  }
  if (!sparse_) return;
  offsets_ = room.take<std::uint64_t>(rows + 1);
  columns_ = room.take<std::uint32_t>(entries);
  arrays.add("features.offsets", offsets_);
  arrays.add("features.columns", columns_);
}

void GnnFeatures::gather(const GnnArrays& batch, std::uint32_t nodes, const RowDropout& dropout,
                         float* out, const Stream& stream) const {
  if (array_) return expand(batch.nodes, nodes, dropout, out, stream);
  FeatureRows f{nodes, dim_, batch.nodes, nullptr, scales_.data(), dropout};
  f.data = pinned_.size() != 0 ? pinned_.data() : device_.data();
  if (with_batch_) {
    f.nodes = nullptr;
    f.data = batch.rows;
  }
  const dim3 grid = grid_of_rows(nodes);
  const auto with = [&](auto dense, auto sparse) {
    if (!sparse_) return launch(dense, grid, block_of_rows(), stream, f, out);
    const SparseTable table{offsets_.data(), columns_.data()};
    if (!has_values_) f.data = nullptr;
    launch(sparse, grid, block_of_rows(), stream, f, table, out);
  };
  switch (type_) {
    case FeatureType::f32:
      return with(feature_rows<FeatureType::f32>, sparse_feature_rows<FeatureType::f32>);
    case FeatureType::f16:
      return with(feature_rows<FeatureType::f16>, sparse_feature_rows<FeatureType::f16>);
    case FeatureType::bf16:
      return with(feature_rows<FeatureType::bf16>, sparse_feature_rows<FeatureType::bf16>);
    case FeatureType::i8:
      return with(feature_rows<FeatureType::i8>, sparse_feature_rows<FeatureType::i8>);
  }
}

}  // namespace frugal::cuda
