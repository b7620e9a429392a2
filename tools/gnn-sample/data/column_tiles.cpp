#include "tools/gnn-sample/data/column_tiles.h"

#include <algorithm>
#include <cassert>

#include "libcore/threading/parallel.h"

namespace frugal::gnn {
namespace {

/// Bytes of a tile. Each thread has room for two; runs should be as long as a disk's requests.
constexpr std::size_t kTileBytes = std::size_t{16} << 20;

}  // namespace

ColumnTiles::ColumnTiles(FeatureStore& store, std::size_t group, std::size_t width)
    : store_(store),
      group_(group),
      slabs_per_group_((group + width - 1) / width),
      tile_rows_(std::max<std::size_t>(1, kTileBytes / (sizeof(float) * store.dim()))) {
  assert(group > 0 && store.dim() % group == 0);
  for (std::size_t g = 0; g < store.dim(); g += group) {
    for (std::size_t c = 0; c < group; c += width) {
      slabs_.push_back({.first = g + c, .size = std::min(width, group - c)});
    }
  }
}

void ColumnTiles::for_each_tile(const std::function<void(const Tile&)>& body) const {
  parallel_for((store_.rows() + tile_rows_ - 1) / tile_rows_, 1, [&](std::size_t t) {
    body({.first = t * tile_rows_, .last = std::min(store_.rows(), (t + 1) * tile_rows_)});
  });
}

template <class Set>
void ColumnTiles::write(const Run& run, const Set& set) {
  if (!store_.in_file()) return set(store_.dense().data + run.begin);
  std::vector<float> room(run.size);
  set(room.data());
  store_.file().write_at(run.begin * sizeof(float), room.data(), run.size * sizeof(float));
}

const float* ColumnTiles::read(const Run& run, std::vector<float>& room) {
  if (!store_.in_file()) return store_.dense().data + run.begin;
  room.resize(run.size);
  store_.file().read(run.begin * sizeof(float), room.data(), run.size * sizeof(float));
  return room.data();
}

void ColumnTiles::put_group(std::size_t group,
                            const std::function<void(std::size_t, MatrixView<float>)>& fill) {
  for_each_tile([&](const Tile& tile) {
    std::vector<float> room(tile.rows() * group_);
    const MatrixView<float> rows(room.data(), tile.rows(), group_);
    fill(tile.first, rows);
    for (const Slab& slab : slabs(group)) {
      write(run(tile, slab), [&](float* to) {
        for (std::size_t r = 0; r < rows.rows; ++r) {
          to = std::copy_n(rows.row(r) + (slab.first - group * group_), slab.size, to);
        }
      });
    }
  });
}

void ColumnTiles::put(const Slab& slab, MatrixView<const float> from) {
  for_each_tile([&](const Tile& tile) {
    write(run(tile, slab), [&](float* to) {
      for (std::size_t r = tile.first; r < tile.last; ++r) {
        to = std::copy_n(from.row(r), slab.size, to);
      }
    });
  });
}

void ColumnTiles::get(const Slab& slab, MatrixView<float> to) {
  for_each_tile([&](const Tile& tile) {
    std::vector<float> room;
    const float* from = read(run(tile, slab), room);
    for (std::size_t r = tile.first; r < tile.last; ++r, from += slab.size) {
      std::copy_n(from, slab.size, to.row(r));
    }
  });
}

void ColumnTiles::make_rows(std::span<const float> mean, std::span<const float> factor) {
  for_each_tile([&](const Tile& tile) {
    const Run all = run(tile, {.first = 0, .size = store_.dim()});
    std::vector<float> room;
    const float* const from = read(all, room);
    if (!store_.in_file()) room.assign(from, from + all.size);  // the rows take their place
    write(all, [&](float* to) {
      for (std::size_t r = 0; r < tile.rows(); ++r) {
        for (const Slab& slab : slabs_) {
          const float* const x = room.data() + slab.first * tile.rows() + slab.size * r;
          const float *const m = mean.data() + slab.first, *const f = factor.data() + slab.first;
          for (std::size_t c = 0; c < slab.size; ++c) *to++ = (x[c] - m[c]) * f[c];
        }
      }
    });
  });
}

}  // namespace frugal::gnn
