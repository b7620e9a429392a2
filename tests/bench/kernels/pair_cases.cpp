#include "libcore/base/array.h"
#include "tests/bench/kernels/cases.h"
#include "tests/bench/kernels/measure.h"

namespace frugal::bench {

void pair_cases(const Kernels& k) {
  constexpr std::size_t kCount = 27;  // Criteo: 26 fields and the numbers
  for (const std::size_t dim : {std::size_t{16}, std::size_t{128}}) {
    Array<float> vectors(kCount * dim, 0.5f), gradient(kCount * dim);
    Array<float> dots(num_pairs(kCount, false), 0.5f), scratch(pair_scratch_size(kCount, dim));
    const PairDots pairs{nullptr, vectors.data(), kCount, dim, false, scratch.data()};
    const double flop = 2 * static_cast<double>(dots.size() * dim);
    const std::string size = std::to_string(kCount) + "x" + std::to_string(dim);
    measure({"pair_dots", k.name, size, 1, flop}, [&] { k.pair_dots(pairs, dots.data()); });
    measure({"pair_dots_backward", k.name, size, 1, 2 * flop},
            [&] { k.pair_dots_backward(pairs, dots.data(), nullptr, gradient.data()); });
  }
}

}  // namespace frugal::bench
