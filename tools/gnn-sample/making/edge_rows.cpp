#include "tools/gnn-sample/making/edge_rows.h"

#include <algorithm>

#include "libcore/base/error.h"
#include "libcore/graph/build_options.h"
#include "libcore/system/limits.h"
#include "libcore/threading/parallel.h"
#include "tools/gnn-sample/formats/node_features.h"

namespace frugal::gnn {

Tensor read_edge_rows(const std::string& path, const BytesRead& progress) {
  NodeData data;
  read_features(path, {}, data, progress);
  if (data.array || data.sparse.dim != 0) {
    fail(ExitStatus::usage, path, ": is ", data.array ? "an array of robe-compress" : "sparse",
         ", expected a row of numbers for each edge, in text or *.npy");
  }
  return std::move(data.features);
}

Array<float> edge_rows_of(const Graph& graph, const Tensor& rows) {
  constexpr std::size_t kEdgesAtATime = 4096;
  const auto dim = static_cast<std::size_t>(rows.shape[1]);
  check_memory("the features of edges", graph.num_edges() * dim * sizeof(float));
  Array<float> all(graph.num_edges() * dim);
  const std::span<const float> values = rows.as<float>();
  parallel_for(graph.num_edges(), kEdgesAtATime, [&](std::size_t e) {
    const EdgeId number = graph.edge_ids[e];
    if (number == kAddedEdge) return;
    std::copy_n(values.data() + number * dim, dim, all.data() + e * dim);
  });
  return all;
}

}  // namespace frugal::gnn
