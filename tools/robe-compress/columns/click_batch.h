#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "libcore/base/view.h"

namespace frugal::robe {

/// Of an embedding table: row numbers have 32 bits.
inline constexpr std::uint64_t kMostTableRows = 0xffffffff;

/// Samples as models see them: numbers, one row of each field's embedding table, and whether it was
/// a click.
struct ClickBatch {
  std::size_t size = 0;
  std::size_t num_numbers = 0;
  std::size_t num_fields = 0;
  std::vector<float> numbers;       ///< [size, num_numbers], transformed
  std::vector<std::uint32_t> rows;  ///< [size, num_fields], row of the field's table
  std::vector<float> labels;        ///< [size], 0 or 1; empty where the input has no labels

  MatrixView<const float> numbers_view() const { return {numbers.data(), size, num_numbers}; }
  MatrixView<const std::uint32_t> rows_view() const { return {rows.data(), size, num_fields}; }
};

/// Where batches come from: samples in memory, in a file, or streamed.
class ClickBatches {
 public:
  virtual ~ClickBatches() = default;
  /// The next samples, at most `max_size`; fewer only at the end, false where there are none.
  virtual bool next(ClickBatch& batch, std::size_t max_size) = 0;
};

}  // namespace frugal::robe
