#pragma once
#include "libcore/base/array.h"
#include "tools/sparse-train/lsh/hash_family.h"

namespace frugal::sparse {

/// SimHash: the sign of the product with a random vector of +1 and -1 (simhash-dense), or of +1, -1
/// and 0 in equal parts (simhash: the sparse random projections of Li, Hastie, Church, KDD 2006,
/// that SLIDE uses). One dense product serves all functions; the zeros are multiplied, too: on
/// vector units that is faster than to step around them.
class SignHash : public HashFamily {
 public:
  SignHash(const HashOptions& options, std::size_t dim);
  std::uint32_t value_bits() const override { return 1; }
  void hash(MatrixView<const float> x, std::uint32_t begin, std::uint32_t end,
            std::uint32_t* out) const override;
  void redraw(std::uint32_t table, std::uint64_t generation) override;

 private:
  Array<float> directions_;  ///< [tables * functions, dim]
};

}  // namespace frugal::sparse
