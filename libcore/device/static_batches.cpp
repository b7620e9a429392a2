#include "libcore/device/static_batches.h"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <utility>

#include "libcore/device/size_class.h"
#include "libcore/device/size_ladder.h"

namespace frugal {
namespace {

std::uint64_t rows_of(const BatchAxis& axis, std::uint64_t count) {
  return count + (axis.has_dummy ? 1 : 0);
}

std::size_t parts_of(const BatchArray& array) { return array.parts == 0 ? 1 : array.parts; }

std::size_t row_bytes(const BatchArray& array) {
  return (array.columns == 0 ? 1 : array.columns) * item_size(array.dtype);
}

}  // namespace

BatchShapes BatchShapes::choose(std::span<const BatchAxis> axes, std::span<const BatchShape> counts,
                                std::size_t key, std::size_t most_shapes) {
  std::vector<std::uint64_t> keys;
  for (const BatchShape& count : counts) keys.push_back(rows_of(axes[key], count[key]));
  const SizeLadder ladder(axes[key].name, keys, most_shapes);
  BatchShapes result;
  result.shapes.assign(ladder.sizes().size(), BatchShape(axes.size(), 1));
  for (std::size_t b = 0; b < counts.size(); ++b) {
    result.of_batch.push_back(ladder.class_of(keys[b]));
    BatchShape& shape = result.shapes[result.of_batch.back()];
    for (std::size_t a = 0; a < axes.size(); ++a) {
      const std::uint64_t rows = rows_of(axes[a], counts[b][a]);
      shape[a] = axes[a].size != 0 ? axes[a].size
                                   : std::max(shape[a], size_class(rows, SizeLadder::kSteps));
    }
  }
  return result;
}

std::vector<std::uint64_t> padded_shape(const BatchArray& array, const BatchShape& shape) {
  std::vector<std::uint64_t> padded{shape[array.axis]};
  if (array.parts != 0) padded.insert(padded.begin(), array.parts);
  if (array.columns != 0) padded.push_back(array.columns);
  return padded;
}

std::size_t padded_bytes(const BatchArray& array, const BatchShape& shape) {
  return parts_of(array) * shape[array.axis] * row_bytes(array);
}

void pad_array(std::span<const BatchAxis> axes, const BatchArray& array, const BatchShape& shape,
               std::size_t count, const void* from, void* to) {
  const BatchAxis& axis = axes[array.axis];
  assert(rows_of(axis, count) <= shape[array.axis]);
  assert(array.role != ArrayRole::ids || array.dtype == Dtype::i32);
  const std::size_t row = row_bytes(array), real = count * row;
  const std::size_t part = shape[array.axis] * row, before = axis.has_dummy ? row : 0;
  std::memset(to, 0, padded_bytes(array, shape));
  for (std::size_t p = 0; p < parts_of(array); ++p) {
    std::byte* rows = static_cast<std::byte*>(to) + p * part + before;
    if (array.role == ArrayRole::mask) {
      std::memset(rows, 1, real);
      continue;
    }
    if (real != 0) std::memcpy(rows, static_cast<const std::byte*>(from) + p * real, real);
    if (array.role != ArrayRole::ids || !axes[array.into].has_dummy) continue;
    auto* ids = reinterpret_cast<std::uint32_t*>(rows);
    for (std::size_t i = 0; i < real / sizeof(std::uint32_t); ++i) ++ids[i];
  }
}

double StaticBatches::real_share(std::size_t axis) const {
  double real = 0, all = 0;
  for (std::size_t b = 0; b < counts.size(); ++b) {
    real += static_cast<double>(counts[b][axis]);
    all += static_cast<double>(shapes.shapes[shapes.of_batch[b]][axis]);
  }
  return all == 0 ? 1 : real / all;
}

void StaticBatches::add_to(Document& document, RowFillers& fillers) const {
  for (std::size_t c = 0; c < shapes.shapes.size(); ++c) {
    const std::string prefix = "batches." + std::to_string(c) + ".";
    std::vector<std::int64_t> members;
    for (std::size_t b = 0; b < counts.size(); ++b) {
      if (shapes.of_batch[b] == c) members.push_back(static_cast<std::int64_t>(b));
    }
    document.tensors.push_back(
        Tensor::copy_of<std::int64_t>(prefix + "number", {members.size()}, members));
    for (std::size_t a = 0; a < arrays.size(); ++a) {
      Tensor tensor{prefix + arrays[a].name, arrays[a].dtype, {}, {}};
      tensor.shape = padded_shape(arrays[a], shapes.shapes[c]);
      tensor.shape.insert(tensor.shape.begin(), members.size());
      fillers[tensor.name] = [this, a, c, members](const TensorInfo&, std::uint64_t begin,
                                                   std::uint64_t end, std::span<std::byte> to) {
        const std::size_t bytes = padded_bytes(arrays[a], shapes.shapes[c]);
        for (std::uint64_t i = begin; i < end; ++i) {
          const auto batch = static_cast<std::size_t>(members[i]);
          pad_array(axes, arrays[a], shapes.shapes[c], counts[batch][arrays[a].axis],
                    rows(batch, a), to.data() + (i - begin) * bytes);
        }
      };
      document.tensors.push_back(std::move(tensor));
    }
  }
}

}  // namespace frugal
