// The rival: Eigen's product, compiled per instruction set under a namespace of its own
// (-DEigen=...).
#include <Eigen/Core>

#include "tests/bench/kernels/rival.h"

namespace frugal::bench {
namespace {

using Rows = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using View = Eigen::Map<const Rows>;

Eigen::Index index(std::size_t n) { return static_cast<Eigen::Index>(n); }

}  // namespace

void FRUGAL_RIVAL(const Shape& s, const float* a, const float* b, float* c) {
  const View left(a, index(s.m), index(s.k)), right(b, index(s.k), index(s.n));
  Eigen::Map<Rows>(c, index(s.m), index(s.n)).noalias() = left * right;
}

}  // namespace frugal::bench
