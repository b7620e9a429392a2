#include "libcore/device/static_batches.h"

#include <algorithm>
#include <cassert>
#include <cstring>

#include "libcore/device/size_class.h"
#include "libcore/device/size_ladder.h"

namespace frugal {
namespace {

std::uint64_t rows_of(const BatchAxis& axis, std::uint64_t count) {
  return count + (axis.has_dummy ? 1 : 0);
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
      shape[a] = std::max(shape[a], size_class(rows, SizeLadder::kSteps));
    }
  }
  return result;
}

std::vector<std::uint64_t> padded_shape(const BatchArray& array, const BatchShape& shape) {
  std::vector<std::uint64_t> padded{shape[array.axis]};
  if (array.parts != 1) padded.insert(padded.begin(), array.parts);
  if (array.columns != 1) padded.push_back(array.columns);
  return padded;
}

std::size_t padded_bytes(const BatchArray& array, const BatchShape& shape) {
  return array.parts * shape[array.axis] * array.columns * array.item_bytes;
}

void pad_array(std::span<const BatchAxis> axes, const BatchArray& array, const BatchShape& shape,
               std::size_t count, const void* from, void* to) {
  const BatchAxis& axis = axes[array.axis];
  assert(rows_of(axis, count) <= shape[array.axis]);
  assert(array.role != ArrayRole::ids || array.item_bytes == sizeof(std::uint32_t));
  const std::size_t row = array.columns * array.item_bytes, real = count * row;
  const std::size_t part = shape[array.axis] * row, before = axis.has_dummy ? row : 0;
  std::memset(to, 0, padded_bytes(array, shape));
  for (std::size_t p = 0; p < array.parts; ++p) {
    std::byte* rows = static_cast<std::byte*>(to) + p * part + before;
    if (array.role == ArrayRole::mask) {
      std::memset(rows, 1, real);
      continue;
    }
    if (real != 0) std::memcpy(rows, static_cast<const std::byte*>(from) + p * real, real);
    if (array.role != ArrayRole::ids || !axes[array.into].has_dummy) continue;
    auto* ids = reinterpret_cast<std::uint32_t*>(rows);
    for (std::size_t i = 0; i < count * array.columns; ++i) ++ids[i];
  }
}

}  // namespace frugal
