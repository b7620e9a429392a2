#include "tools/gnn-sample/sampler/alias_tables.h"

#include <atomic>
#include <cassert>
#include <utility>
#include <vector>

#include "libcore/base/rng.h"
#include "libcore/threading/parallel.h"

namespace frugal::gnn {
namespace {

constexpr std::size_t kRows = 1024;

}  // namespace

AliasTables::AliasTables(const CsrView& graph, std::span<const float> weights)
    : high_(graph.num_edges(), uninitialized), low_(graph.num_edges(), uninitialized) {
  assert(weights.size() == graph.num_edges());
  std::vector<std::uint32_t> drawable(graph.num_nodes());
  std::atomic<bool> zeros{false};
  parallel_for(graph.num_nodes(), kRows, [&](std::size_t v) {
    const EdgeId begin = graph.offsets[v];
    const auto row = weights.subspan(begin, graph.offsets[v + 1] - begin);
    build_row(row, begin);
    for (const float w : row) drawable[v] += w > 0 ? 1 : 0;
    if (drawable[v] != row.size()) zeros = true;
  });
  if (zeros) drawable_ = std::move(drawable);
}

/// Edges below the mean weight share their place with one above it.
void AliasTables::build_row(std::span<const float> weights, EdgeId begin) {
  thread_local AliasBuilder builder;
  builder.shares.clear();
  double sum = 0;
  for (const float w : weights) sum += w;
  const double scale = sum > 0 ? static_cast<double>(weights.size()) / sum : 0;
  for (const float w : weights) builder.shares.push_back(w * scale);
  builder.pair_up([&](std::uint32_t below, double share, std::uint32_t above) {
    set(begin + below, static_cast<std::uint32_t>(share * 0x1p32), above);
  });
  // Remaining shares are 1 up to rounding. An edge of weight 0 is never drawn.
  for (const std::uint32_t i : builder.large) set(begin + i, 0, i);
  std::uint32_t heaviest = 0;
  for (std::uint32_t i = 1; i < weights.size(); ++i) {
    if (weights[i] > weights[heaviest]) heaviest = i;
  }
  for (const std::uint32_t i : builder.small) {
    set(begin + i, 0, weights[i] > 0 ? i : heaviest);
  }
}

}  // namespace frugal::gnn
