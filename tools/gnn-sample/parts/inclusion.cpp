#include "tools/gnn-sample/parts/inclusion.h"

#include <algorithm>
#include <cmath>

namespace frugal::gnn {

/// Products are sums of logarithms, which keep small probabilities.
std::vector<float> inclusion_probabilities(const CsrView& graph, const std::vector<float>& seeds,
                                           const Fanouts& fanouts, Semantics semantics) {
  const std::size_t nodes = graph.num_nodes();
  std::vector<float> known = seeds, drawn_for = seeds, not_known(nodes), not_drawn(nodes);
  for (std::size_t v = 0; v < nodes; ++v) not_known[v] = std::log1p(-seeds[v]);
  for (const std::uint32_t fanout : fanouts) {
    std::fill(not_drawn.begin(), not_drawn.end(), 0.0F);
    for (std::size_t i = 0; i < nodes; ++i) {
      const auto v = static_cast<NodeId>(i);
      if (drawn_for[v] == 0) continue;
      const float rate = std::min(
          1.0F, static_cast<float>(fanout) / static_cast<float>(std::max(1U, graph.degree(v))));
      const float not_by_v = std::log1p(-rate * drawn_for[v]);
      for (const NodeId u : graph.row(v)) not_drawn[u] += not_by_v;
    }
    for (std::size_t v = 0; v < nodes; ++v) {
      not_known[v] += not_drawn[v];
      known[v] = -std::expm1(not_known[v]);
      drawn_for[v] = semantics == Semantics::mfg ? known[v] : -std::expm1(not_drawn[v]);
    }
  }
  return known;
}

}  // namespace frugal::gnn
