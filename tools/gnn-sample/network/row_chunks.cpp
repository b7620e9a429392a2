#include "tools/gnn-sample/network/row_chunks.h"

#include "libcore/nn/weights.h"
#include "libcore/threading/parallel.h"

namespace frugal::gnn {

void for_each_chunk(std::size_t n, const std::function<void(std::size_t, std::size_t)>& body) {
  const std::size_t chunks = (n + kChunkRows - 1) / kChunkRows;
  parallel_for(chunks, 1,
               [&](std::size_t c) { body(c * kChunkRows, std::min(n, (c + 1) * kChunkRows)); });
}

void for_each_grouped_chunk(
    std::size_t n, const std::function<void(std::size_t, std::size_t, std::size_t)>& body) {
  const std::size_t chunks = (n + kChunkRows - 1) / kChunkRows;
  if (chunks == 0) return;
  const std::size_t rows = (chunks + Weights::kGroups - 1) / Weights::kGroups * kChunkRows;
  parallel_for((n + rows - 1) / rows, 1, [&](std::size_t group) {
    const std::size_t last = std::min(n, (group + 1) * rows);
    for (std::size_t begin = group * rows; begin < last; begin += kChunkRows) {
      body(group, begin, std::min(last, begin + kChunkRows));
    }
  });
}

}  // namespace frugal::gnn
