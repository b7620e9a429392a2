#pragma once
#include <cstddef>
#include <span>
#include <vector>

#include "libcore/base/array.h"
#include "libcore/kernels/kernels.h"
#include "libcore/parallel/communicator.h"
#include "libcore/threading/parallel.h"

namespace frugal {

/// One step of all pieces of a model's parameters, on all threads; each rank calls it with the same
/// pieces. ranks: null: there is one. `Pieces` has
/// - size(): how many there are,
/// - step(i): gradient and update of piece i at once, which is what happens on one rank,
/// - gradient_size(i), gradient(i, to), apply(i, from): the two apart. On several ranks the mean of
///   their gradients is taken between them.
template <class Pieces>
void step_pieces(Pieces& pieces, Communicator* ranks) {
  const std::size_t n = pieces.size();
  if (ranks == nullptr || ranks->size() == 1) {
    return parallel_for(n, 1, [&](std::size_t i) { pieces.step(i); });
  }
  std::vector<std::size_t> begin(n + 1);
  for (std::size_t i = 0; i < n; ++i) begin[i + 1] = begin[i] + pieces.gradient_size(i);
  Array<float> gradients(begin[n], uninitialized);
  const auto part = [&](std::size_t i) {
    return std::span<float>(gradients.data() + begin[i], begin[i + 1] - begin[i]);
  };
  parallel_for(n, 1, [&](std::size_t i) { pieces.gradient(i, part(i)); });
  ranks->all_reduce_sum(std::span<float>(gradients.data(), begin[n]));
  kernels().scale(1 / static_cast<float>(ranks->size()), gradients.data(), begin[n]);
  parallel_for(n, 1, [&](std::size_t i) { pieces.apply(i, part(i)); });
}

}  // namespace frugal
