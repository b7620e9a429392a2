#include "tools/gnn-sample/inputs/degree_columns.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "libcore/threading/parallel.h"

namespace frugal::gnn {
namespace {

constexpr std::size_t kNodesAtOnce = 1024;
constexpr double kScale = 8;

void write_degree(std::uint64_t degree, float* to) {
  const double l = std::log2(1 + static_cast<double>(degree));
  const double step = std::min(l, static_cast<double>(kDegreeSteps - 1));
  *to++ = static_cast<float>(l / kScale);
  for (std::size_t b = 0; b < kDegreeSteps; ++b) {
    to[b] = static_cast<float>(std::max(0.0, 1 - std::abs(step - static_cast<double>(b))));
  }
}

}  // namespace

void write_degrees(const CsrView& graph, MatrixView<float> out) {
  std::vector<std::uint64_t> out_degrees(graph.num_nodes());
  for (const NodeId source : graph.neighbors) ++out_degrees[source];
  parallel_for(graph.num_nodes(), kNodesAtOnce, [&](std::size_t v) {
    write_degree(graph.degree(static_cast<NodeId>(v)), out.row(v));
    write_degree(out_degrees[v], out.row(v) + 1 + kDegreeSteps);
  });
}

}  // namespace frugal::gnn
