#pragma once
#include <cstdint>
#include <span>

#include "libcore/base/view.h"

namespace frugal::sparse {

/// The batch in progress, as the stages of an output layer see it.
struct Batch {
  std::uint64_t number = 0;                 ///< of the batch in the run
  std::span<const std::uint32_t> examples;  ///< rows of the data
  MatrixView<const float> hidden;           ///< [examples, hidden + 1], the last column is 1
  MatrixView<float> hidden_gradient;  ///< [examples, hidden + 1]; nobody reads its last column
  std::span<double> losses;           ///< [examples]
  float rate = 0;                     ///< learning rate, times the optimiser's rate_factor()

  std::size_t size() const { return examples.size(); }
};

}  // namespace frugal::sparse
