#include "tools/gnn-sample/data/column_tiles.h"

#include <doctest/doctest.h>

#include <vector>

using namespace frugal;
using namespace frugal::gnn;

namespace {

/// More rows than a tile has, and slabs of two widths.
constexpr std::size_t kTiledRows = 2500, kGroup = 2100, kGroups = 2, kWidth = 1500;

float number(std::size_t row, std::size_t column) {
  return static_cast<float>(row * 3 + column * 7 % 1000);
}

/// Writes number() as rows of the first group and as slabs of the second, and checks what is read.
void write_numbers(ColumnTiles& tiles) {
  tiles.put_group(0, [](std::size_t first, MatrixView<float> rows) {
    for (std::size_t r = 0; r < rows.rows; ++r) {
      for (std::size_t c = 0; c < rows.cols; ++c) rows(r, c) = number(first + r, c);
    }
  });
  for (const ColumnTiles::Slab& slab : tiles.slabs(1)) {
    std::vector<float> numbers(kTiledRows * slab.size);
    const MatrixView<float> rows(numbers.data(), kTiledRows, slab.size);
    for (std::size_t r = 0; r < kTiledRows; ++r) {
      for (std::size_t c = 0; c < slab.size; ++c) rows(r, c) = number(r, slab.first + c);
    }
    tiles.put(slab, rows);
  }
  std::size_t wrong = 0;
  for (std::size_t group = 0; group < kGroups; ++group) {
    for (const ColumnTiles::Slab& slab : tiles.slabs(group)) {
      std::vector<float> numbers(kTiledRows * slab.size);
      const MatrixView<float> rows(numbers.data(), kTiledRows, slab.size);
      tiles.get(slab, rows);
      for (std::size_t r = 0; r < kTiledRows; ++r) {
        for (std::size_t c = 0; c < slab.size; ++c) {
          if (rows(r, c) != number(r, slab.first + c)) ++wrong;
        }
      }
    }
  }
  CHECK(wrong == 0);
}

}  // namespace

TEST_CASE("columns that are written slab by slab become rows, in memory and in a file") {
  for (const bool in_file : {false, true}) {
    CAPTURE(in_file);
    FeatureStore store(kTiledRows, kGroups * kGroup, in_file);
    ColumnTiles tiles(store, kGroup, kWidth);
    REQUIRE(tiles.slabs(1).size() == 2);
    CHECK(tiles.slabs(1)[1].first == kGroup + kWidth);
    CHECK(tiles.slabs(1)[1].size == kGroup - kWidth);
    write_numbers(tiles);
    std::vector<float> mean(store.dim()), factor(store.dim());
    for (std::size_t c = 0; c < store.dim(); ++c) {
      mean[c] = static_cast<float>(c % 5);
      factor[c] = c % 2 == 0 ? 2.0F : 0.5F;
    }
    tiles.make_rows(mean, factor);
    const FeatureView view = store.view();
    std::size_t wrong = 0;
    for (std::size_t r = 0; r < kTiledRows; ++r) {
      const auto* const row = reinterpret_cast<const float*>(view.row(r));
      for (std::size_t c = 0; c < view.dim; ++c) {
        if (row[c] != (number(r, c) - mean[c]) * factor[c]) ++wrong;
      }
    }
    CHECK(wrong == 0);
  }
}
