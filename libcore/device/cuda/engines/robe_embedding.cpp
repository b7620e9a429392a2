#include "libcore/device/cuda/engines/robe_embedding.h"

#include "libcore/device/cuda/kernels/embedding_rows.h"
#include "libcore/device/cuda/kernels/line_step.h"

namespace frugal::cuda {
namespace {

/// Groups of numbers that share a scale (libcore/embedding/storage.h).
constexpr std::uint64_t kByteGroup = 64;

template <class T>
void take(DeviceArray<T>& array, std::uint64_t n, const char* name, Room& room,
          NamedArrays& arrays) {
  array = room.take<T>(n);
  arrays.add(name, array);
}

}  // namespace

DeviceEmbedding::DeviceEmbedding(const Settings& settings, std::uint32_t most,
                                 const StepValues* values, bool training, Room& room,
                                 NamedArrays& arrays)
    : most_(most), values_(values), storage_(settings.text("storage")) {
  take_places(settings, room, arrays);
  take_numbers(room, arrays);
  output_ = room.take_zeros<float>(std::uint64_t{most} * shape_.width());
  starts_ = room.take<std::uint64_t>(std::uint64_t{most} * shape_.blocks());
  if (training) take_training(settings, room, arrays);
}

void DeviceEmbedding::take_places(const Settings& settings, Room& room, NamedArrays& arrays) {
  const auto number = [&](const char* name) {
    return static_cast<std::uint32_t>(settings.number(name));
  };
  shape_.fields = number("fields");
  shape_.dim = number("dim");
  shape_.block = number("block");
  shape_.copies = number("copies");
  shape_.hashed = settings.number("hashed");
  shape_.size = settings.number("size");
  shape_.num_hot = number("hot_rows");
  shape_.blocks_per_row = (shape_.dim + shape_.block - 1) / shape_.block;
  take(first_row_, shape_.fields, "embedding.first_row", room, arrays);
  take(hashes_, shape_.copies * kHashNumbers, "embedding.hash", room, arrays);
  if (shape_.num_hot == 0) return;
  if (settings.flag("hot_runs")) {
    take(hot_runs_, std::uint64_t{shape_.fields} * 3, "embedding.hot.runs", room, arrays);
  } else {
    take(hot_keys_, shape_.num_hot, "embedding.hot.keys", room, arrays);
    take(hot_numbers_, shape_.num_hot, "embedding.hot.numbers", room, arrays);
  }
}

void DeviceEmbedding::take_numbers(Room& room, NamedArrays& arrays) {
  const std::uint64_t size = shape_.size;
  const char *const name = "embedding.array", *const scale = "embedding.array.scale";
  if (storage_ == "f32") {
    take(floats_, size, name, room, arrays);
  } else if (storage_ == "bf16") {
    take(halves_, size, name, room, arrays);
  } else if (storage_ == "int8") {
    take(bytes_, size, name, room, arrays);
    take(byte_scales_, (size + kByteGroup - 1) / kByteGroup, scale, room, arrays);
  } else if (storage_ == "int4") {
    take(nibbles_, (size + 1) / 2, name, room, arrays);
    take(nibble_scales_, (size + kNibbleGroup - 1) / kNibbleGroup, scale, room, arrays);
  } else {
    throw Failure(FRUGAL_UNSUPPORTED, "it has no storage " + storage_);
  }
}

void DeviceEmbedding::take_training(const Settings& settings, Room& room, NamedArrays& arrays) {
  if (storage_ != "f32") throw Failure(FRUGAL_BAD_ARGUMENT, "training of storage " + storage_);
  rule_ = rule_from(settings);
  for_int4_ = settings.text("train_for") == "int4";
  if (for_int4_) {
    const std::uint64_t groups = (shape_.size + kNibbleGroup - 1) / kNibbleGroup;
    take(nibble_scales_, groups, "embedding.state.scales", room, arrays);
  }
  if (rule_.num_states() > 0) take(first_, shape_.size, "embedding.state.first", room, arrays);
  if (rule_.num_states() > 1) take(second_, shape_.size, "embedding.state.second", room, arrays);
  gradient_ = room.take<float>(std::uint64_t{most_} * shape_.width());
  sums_blocks_ = !facts_of(rule_.rule).by_factor || settings.text("update") == "summed";
  per_block_ = static_cast<std::uint32_t>(settings.number("block_lines"));
  const std::uint64_t entries = std::uint64_t{most_} * shape_.blocks() * per_block_;
  const std::uint64_t lines = (shape_.size + kLine - 1) / kLine;
  if ((entries | lines) >> 32 != 0) {
    throw Failure(FRUGAL_UNSUPPORTED, "batches of " + std::to_string(most_) +
                                          " samples have too many blocks for its kernels");
  }
  key_bits_ = key_bits(lines);
  lines_ = room.take<std::uint32_t>(entries);
  pieces_ = room.take<std::uint32_t>(entries);
  sorted_lines_ = room.take<std::uint32_t>(entries);
  sorted_pieces_ = room.take<std::uint32_t>(entries);
  sort_room_ = room.take<std::uint8_t>(sort_room(entries, key_bits_));
}

TablePlaces DeviceEmbedding::places() const {
  TablePlaces p = shape_;
  p.first_row = first_row_.data();
  p.hashes = reinterpret_cast<const HashNumbers*>(hashes_.data());
  p.hot_runs = hot_runs_.data();
  p.hot_keys = hot_keys_.data();
  p.hot_numbers = hot_numbers_.data();
  return p;
}

void DeviceEmbedding::forward(const std::uint32_t* rows, cudaStream_t stream) {
  if (shape_.width() == 0) return;
  const TablePlaces p = places();
  launch(block_starts, grid_for(std::uint64_t{most_} * p.blocks()), dim3(kThreads), stream, p,
         values_, rows, starts_.data());
  const auto gather = [&](auto kernel, auto numbers) {
    launch(kernel, grid_for(std::uint64_t{most_} * p.width()), dim3(kThreads), stream, p, numbers,
           values_, rows, starts_.data(), output_.data());
  };
  if (for_int4_) {
    gather(gather_rows<RoundedNumbers>, RoundedNumbers{floats_.data(), nibble_scales_.data()});
  } else if (storage_ == "f32") {
    gather(gather_rows<FloatNumbers>, FloatNumbers{floats_.data()});
  } else if (storage_ == "bf16") {
    gather(gather_rows<HalfNumbers>, HalfNumbers{halves_.data()});
  } else if (storage_ == "int8") {
    gather(gather_rows<ByteNumbers>, ByteNumbers{bytes_.data(), byte_scales_.data()});
  } else {
    gather(gather_rows<NibbleNumbers>, NibbleNumbers{nibbles_.data(), nibble_scales_.data()});
  }
}

void DeviceEmbedding::refresh(cudaStream_t stream) {
  if (!for_int4_) return;
  launch(refresh_scales, grid_for(nibble_scales_.size()), dim3(kThreads), stream,
         static_cast<const float*>(floats_.data()), shape_.size, nibble_scales_.data());
}

void DeviceEmbedding::step(const std::uint32_t* rows, cudaStream_t stream) {
  if (shape_.width() == 0) return;
  LineStep s{};
  s.places = places();
  s.values = values_;
  s.numbers = rule_.numbers;
  s.per_block = per_block_;
  s.none = static_cast<std::uint32_t>((shape_.size + kLine - 1) / kLine);
  s.rows = rows;
  s.starts = starts_.data();
  s.entries = lines_.size();
  s.lines = sorted_lines_.data();
  s.pieces = sorted_pieces_.data();
  s.gradient = gradient_.data();
  s.array = floats_.data();
  s.first = first_.data();
  s.second = second_.data();
  const dim3 grid = grid_for(s.entries);
  launch(list_lines, grid, dim3(kThreads), stream, s, lines_.data(), pieces_.data());
  sort_pairs({lines_.data(), pieces_.data(), sorted_lines_.data(), sorted_pieces_.data(), s.entries,
              key_bits_},
             sort_room_.data(), sort_room_.bytes(), stream);
  with_rule(rule_.rule, [&](auto kind) {
    constexpr Rule kRule = decltype(kind)::value;
    launch(sums_blocks_ ? step_lines<kRule, true> : step_lines<kRule, !kByFactor<kRule>>, grid,
           dim3(kThreads), stream, s);
  });
}

}  // namespace frugal::cuda
