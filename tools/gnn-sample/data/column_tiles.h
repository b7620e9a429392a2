#pragma once
#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "libcore/base/view.h"
#include "tools/gnn-sample/data/feature_store.h"

namespace frugal::gnn {

/// Rows of a FeatureStore that are computed some columns at a time. While they are, the numbers lie
/// in tiles of neighbouring rows, and those of a tile slab by slab:
///
///     columns 0..7 of rows 0, 1, ..., n - 1    columns 8..15 of rows 0, 1, ..., n - 1     ...
///     columns 0..7 of rows n, n + 1, ...       columns 8..15 of rows n, n + 1, ...        ...
///
/// A slab of all rows is then read or written in long runs of a file. At the end the numbers of
/// each tile change places. All functions run on all threads and fail as TemporaryFile.
class ColumnTiles {
 public:
  /// Columns [first, first + size).
  struct Slab {
    std::size_t first = 0, size = 0;
  };

  /// store: dense rows of undefined numbers; borrowed. group: columns that come from one source, a
  /// divisor of all; they are divided into slabs of at most `width`.
  ColumnTiles(FeatureStore& store, std::size_t group, std::size_t width);

  /// The slabs of a group.
  std::span<const Slab> slabs(std::size_t group) const {
    return std::span(slabs_).subspan(group * slabs_per_group_, slabs_per_group_);
  }
  /// Writes the slabs of a group. fill(first row, rows) sets rows of its columns.
  void put_group(std::size_t group,
                 const std::function<void(std::size_t first, MatrixView<float> rows)>& fill);
  /// Writes or reads a slab of all rows: [rows, slab.size].
  void put(const Slab& slab, MatrixView<const float> from);
  void get(const Slab& slab, MatrixView<float> to);
  /// Makes rows of the tiles, with (x - mean) factor in place of x. mean, factor: [columns]. Must
  /// be called last.
  void make_rows(std::span<const float> mean, std::span<const float> factor);

 private:
  /// Rows [first, last).
  struct Tile {
    std::size_t first = 0, last = 0;
    std::size_t rows() const { return last - first; }
  };
  /// Numbers [begin, begin + size) of the store.
  struct Run {
    std::size_t begin = 0, size = 0;
  };

  Run run(const Tile& tile, const Slab& slab) const {
    return {tile.first * store_.dim() + slab.first * tile.rows(), slab.size * tile.rows()};
  }
  /// Calls body(tile) for each tile.
  void for_each_tile(const std::function<void(const Tile& tile)>& body) const;
  /// Has set(numbers) set a run, in memory or on the way to the file.
  template <class Set>
  void write(const Run& run, const Set& set);
  /// The numbers of a run, in memory or in `room`.
  const float* read(const Run& run, std::vector<float>& room);

  FeatureStore& store_;
  std::size_t group_, slabs_per_group_, tile_rows_;
  std::vector<Slab> slabs_;
};

}  // namespace frugal::gnn
