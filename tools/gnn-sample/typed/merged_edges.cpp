#include "tools/gnn-sample/typed/merged_edges.h"

#include <limits>
#include <numeric>

#include "libcore/base/error.h"

namespace frugal::gnn {

void MergedEdges::assign(std::uint32_t targets, std::span<const UsedEdges* const> parts) {
  std::uint64_t edges = 0, sources = 0;
  for (const UsedEdges* part : parts) {
    edges += part->block().num_edges();
    sources += part->sources().size();
  }
  if (edges > std::numeric_limits<std::uint32_t>::max()) {
    fail(ExitStatus::unavailable, "relations that lead to a type have ", edges,
         " edges at a time, expected fewer than 2^32; give fanouts");
  }
  offsets_.assign(std::size_t{targets} + 1, 0);
  for (const UsedEdges* part : parts) {
    const Block& block = part->block();
    for (std::uint32_t t = 0; t < block.targets; ++t) {
      offsets_[part->targets()[t] + 1] += block.degree(t);
    }
  }
  std::partial_sum(offsets_.begin(), offsets_.end(), offsets_.begin());
  places_.assign(offsets_.begin(), offsets_.end() - 1);
  neighbors_.resize(edges);
  std::uint32_t first = 0;
  for (const UsedEdges* part : parts) {
    const Block& block = part->block();
    for (std::uint32_t t = 0; t < block.targets; ++t) {
      std::uint32_t& place = places_[part->targets()[t]];
      for (const std::uint32_t source : block.row(t)) neighbors_[place++] = first + source;
    }
    first += block.sources;
  }
  block_ = {targets, static_cast<std::uint32_t>(sources), offsets_.data(), neighbors_.data()};
}

}  // namespace frugal::gnn
