#include "tools/sparse-train/lsh/sign_hash.h"

#include "libcore/base/rng.h"
#include "libcore/kernels/gemm.h"

namespace frugal::sparse {

SignHash::SignHash(const HashOptions& options, std::size_t dim)
    : HashFamily(options, dim),
      directions_(std::size_t{options.tables} * options.functions * dim, uninitialized) {
  redraw_all();
}

void SignHash::redraw(std::uint32_t table, std::uint64_t generation) {
  const std::size_t size = options_.functions * dim_;
  float* direction = directions_.data() + table * size;
  Rng rng(options_.seed, hash_combine(generation, table));
  for (std::size_t i = 0; i < size; ++i) {
    const float sign = rng.below(2) == 0 ? -1.0F : 1.0F;
    const bool zero = options_.kind == HashKind::simhash && rng.below(3) != 0;
    direction[i] = zero ? 0 : sign;
  }
}

void SignHash::hash(MatrixView<const float> x, std::uint32_t begin, std::uint32_t end,
                    std::uint32_t* out) const {
  const std::size_t columns = std::size_t{end - begin} * options_.functions;
  thread_local Array<float> products;
  if (products.size() < x.rows * columns) products = Array<float>(x.rows * columns, uninitialized);
  const MatrixView<const float> directions(
      directions_.data() + std::size_t{begin} * options_.functions * dim_, columns, dim_);
  gemm(x, Transpose::no, directions, Transpose::yes, {products.data(), x.rows, columns});
  for (std::size_t i = 0; i < x.rows * columns; ++i) out[i] = products[i] >= 0 ? 1 : 0;
}

}  // namespace frugal::sparse
