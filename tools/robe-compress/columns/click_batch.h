#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "libcore/base/view.h"

namespace frugal::robe {

/// Most rows of an embedding table: row numbers have 32 bits.
inline constexpr std::uint64_t kMostTableRows = 0xffffffff;

/// Samples in the form that models read: numbers, one row of each field's embedding table, and
/// labels (1: a click).
struct ClickBatch {
  std::size_t size = 0;
  std::size_t num_numbers = 0;
  std::size_t num_fields = 0;
  std::vector<float> numbers;       ///< [size, num_numbers], transformed
  std::vector<std::uint32_t> rows;  ///< [size, num_fields], row of the field's table
  std::vector<float> labels;        ///< [size], 0 or 1; empty if the input has no labels

  MatrixView<const float> numbers_view() const { return {numbers.data(), size, num_numbers}; }
  MatrixView<const std::uint32_t> rows_view() const { return {rows.data(), size, num_fields}; }
};

/// Source of batches: samples in memory, in a file, or streamed.
class ClickBatches {
 public:
  virtual ~ClickBatches() = default;
  /// Reads the next samples, at most `max_size`, and fewer only at the end. False if there are
  /// none.
  virtual bool next(ClickBatch& batch, std::size_t max_size) = 0;
};

}  // namespace frugal::robe
