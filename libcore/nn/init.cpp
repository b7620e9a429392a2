#include "libcore/nn/init.h"

#include <cmath>

#include "libcore/base/hash.h"
#include "libcore/base/rng.h"
#include "libcore/threading/parallel.h"

namespace frugal {
namespace {

template <class Draw>
void fill_rows(MatrixView<float> matrix, std::uint64_t seed, std::uint64_t stream,
               std::size_t first, const Draw& draw) {
  parallel_for(matrix.rows, 1024, [&](std::size_t r) {
    Rng rng(seed, hash_combine(stream, first + r));
    for (float& x : matrix.row_span(r)) x = static_cast<float>(draw(rng));
  });
}

}  // namespace

void fill_uniform(MatrixView<float> matrix, double bound, std::uint64_t seed, std::uint64_t stream,
                  std::size_t first) {
  fill_rows(matrix, seed, stream, first, [bound](Rng& rng) { return rng.uniform(-bound, bound); });
}

void fill_normal(MatrixView<float> matrix, double deviation, std::uint64_t seed,
                 std::uint64_t stream, std::size_t first) {
  fill_rows(matrix, seed, stream, first,
            [deviation](Rng& rng) { return deviation * rng.normal(); });
}

double glorot_bound(std::size_t fan_in, std::size_t fan_out) {
  return std::sqrt(6.0 / static_cast<double>(fan_in + fan_out));
}

}  // namespace frugal
