#include "libcore/base/array.h"
#include "libcore/base/rng.h"
#include "tests/bench/kernels/cases.h"
#include "tests/bench/kernels/measure.h"

namespace frugal::bench {

void row_cases(const Kernels& k) {
  static constexpr std::size_t kDims[] = {8, 16, 32, 64, 128, 256};
  constexpr std::size_t kBag = 76, kBags = 256, kTurns = 64;
  const std::size_t table_bytes = quick ? std::size_t{1} << 22 : std::size_t{1} << 28;
  Array<float> table(table_bytes / sizeof(float), 0.5f);
  Array<std::uint32_t> rows(kBag * kBags * kTurns);
  for (const std::size_t dim : kDims) {
    const std::size_t stride = (dim + 15) / 16 * 16, num_rows = table.size() / stride;
    Rng rng(1);
    for (std::uint32_t& row : rows) row = static_cast<std::uint32_t>(rng.below(num_rows));
    Array<float> x(dim, 1e-9f), out(kBag * dim), weights(kBag, 0.5f), history(num_rows, 0.1f);
    const RowUpdate update{table.data(), stride, dim, history.data(), 1, 1e-9f, 1e-8f};
    const auto work = [&](const char* name, double passes) {
      return Work{name,
                  k.name,
                  std::to_string(dim),
                  static_cast<double>(kBag * kBags),
                  0,
                  passes * static_cast<double>(kBag * kBags * dim * sizeof(float))};
    };
    const auto each_bag = [&](auto call) {
      // Other rows at each call, else they would stay in the cache.
      return [&rows, call, turn = std::size_t{0}]() mutable {
        const std::uint32_t* bags = rows.data() + turn++ % kTurns * kBag * kBags;
        for (std::size_t bag = 0; bag < kBags; ++bag) call(bags + bag * kBag);
      };
    };
    measure(work("gather_sum", 1), each_bag([&](const std::uint32_t* bag) {
              k.gather_sum(table.data(), stride, dim, bag, weights.data(), kBag, x.data());
            }));
    measure(work("gather_rows", 2), each_bag([&](const std::uint32_t* bag) {
              k.gather_rows(table.data(), stride, dim, bag, kBag, out.data(), dim);
            }));
    measure(work("scatter_add", 2), each_bag([&](const std::uint32_t* bag) {
              k.scatter_add(table.data(), stride, dim, bag, weights.data(), kBag, 1e-9f, x.data());
            }));
    measure(work("scatter_adagrad", 2), each_bag([&](const std::uint32_t* bag) {
              k.scatter_adagrad(update, bag, weights.data(), kBag, x.data(), 1e-9f);
            }));
  }
}

}  // namespace frugal::bench
