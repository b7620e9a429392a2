#pragma once
/// Products that do not depend on each other, launched together.
#include <vector>

#include "libcore/device/cuda/engines/product_library.h"
#include "libcore/device/cuda/kernels/product.h"

namespace frugal::cuda {

/// Collects products and computes them together, in tiles: small ones alone do not fill a GPU, and
/// each launch takes microseconds. No product may read or write the result of another.
class ProductGroup {
 public:
  explicit ProductGroup(cudaStream_t stream) : stream_(stream) {}
  /// parts: number of partial sums, each over `p.depth` terms.
  void add(const Product& p, bool trans_a, bool trans_b, Products of, std::uint32_t parts) {
    entries_.push_back({p, trans_a, trans_b, of, parts});
  }
  /// Launches the collected products: one launch per transposition and precision for up to kMost of
  /// them.
  void run();

 private:
  struct Entry {
    Product product;
    bool trans_a, trans_b;
    Products of;
    std::uint32_t parts;

    bool is_alike(const Entry& other) const {
      return trans_a == other.trans_a && trans_b == other.trans_b && of == other.of;
    }
  };
  static constexpr std::uint32_t kMost = 16;

  template <std::uint32_t kCount>
  void launch_list(const Entry* entries, std::uint32_t n) const;

  cudaStream_t stream_;
  std::vector<Entry> entries_;
};

}  // namespace frugal::cuda
