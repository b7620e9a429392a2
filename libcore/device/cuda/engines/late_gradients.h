#pragma once
/// Gradients of parameters that nothing in the backward pass waits for. All are computed at its
/// end, in few launches.
#include <algorithm>
#include <vector>

#include "libcore/device/cuda/engines/dense_layer.h"
#include "libcore/device/cuda/kernels/graph/time_encoding.h"

namespace frugal::cuda {

/// Number of parts in which each sum is computed. The optimiser adds them one after another.
inline constexpr std::uint32_t kLateParts = 16;

class LateGradients {
 public:
  explicit LateGradients(cudaStream_t stream) : products(stream), stream_(stream) {}
  /// Adds a column sum; its result has kLateParts parts.
  void add(const RowSum& sum) { sums_.push_back(sum); }
  void run() {
    products.run();
    for (std::size_t begin = 0; begin < sums_.size(); begin += RowSumList::kMost) {
      RowSumList list{};
      std::uint32_t blocks = 0;
      for (std::size_t i = 0; i < RowSumList::kMost; ++i) {
        if (begin + i < sums_.size()) {
          list.sums[i] = sums_[begin + i];
          blocks += list.sums[i].blocks();
        }
        list.ends[i] = blocks;
      }
      launch(sum_rows, dim3(blocks, kLateParts), dim3(kSumColumns * kSumRows), stream_, list);
    }
    sums_.clear();
  }

  ProductGroup products;

 private:
  cudaStream_t stream_;
  std::vector<RowSum> sums_;
};

}  // namespace frugal::cuda
