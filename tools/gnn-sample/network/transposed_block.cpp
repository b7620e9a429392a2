#include "tools/gnn-sample/network/transposed_block.h"

namespace frugal::gnn {

void TransposedBlock::assign(const Block& block) {
  const std::uint32_t num_edges = block.num_edges();
  const std::uint32_t* neighbors = num_edges == 0 ? nullptr : block.neighbors + block.offsets[0];
  // Counted two places ahead, so that placing the edges leaves each row's begin where it belongs.
  offsets.assign(std::size_t{block.sources} + 2, 0);
  for (std::uint32_t e = 0; e < num_edges; ++e) ++offsets[neighbors[e] + 2];
  for (std::size_t s = 2; s < offsets.size(); ++s) offsets[s] += offsets[s - 1];
  targets.resize(num_edges);
  edges.resize(num_edges);
  std::uint32_t e = 0;
  for (std::uint32_t t = 0; t < block.targets; ++t) {
    for (const std::uint32_t source : block.row(t)) {
      const std::uint32_t place = offsets[source + 1]++;
      targets[place] = t;
      edges[place] = e++;
    }
  }
  offsets.pop_back();
}

}  // namespace frugal::gnn
