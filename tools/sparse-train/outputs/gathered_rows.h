#pragma once
#include <cstdint>
#include <span>

#include "libcore/base/array.h"
#include "libcore/base/view.h"
#include "tools/sparse-train/network/network.h"

namespace frugal::sparse {

/// The rows of a batch's outputs, weights and biases side by side.
class GatheredRows {
 public:
  /// Room for outputs [first, first + count).
  void begin(std::size_t first, std::size_t count, std::size_t dim);
  struct Range {
    std::size_t begin, end;
  };
  /// Copies the rows of some of them. labels: of all outputs of the batch; log_inclusion: the same,
  /// by which the biases of a softmax are lower, or empty.
  void gather(const Network& network, std::span<const std::uint32_t> labels,
              std::span<const float> log_inclusion, Range outputs);
  MatrixView<const float> between(std::size_t begin, std::size_t end) const {
    return {weights_.data() + (begin - first_) * dim_, end - begin, dim_};
  }

 private:
  std::size_t first_ = 0, dim_ = 0;
  Array<float> weights_;  ///< [outputs, hidden + 1]
};

}  // namespace frugal::sparse
