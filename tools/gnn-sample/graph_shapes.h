#pragma once
#include <cstdint>
#include <span>
#include <string_view>

#include "libcore/graph/generate_edges.h"

namespace frugal::gnn {

enum class EdgeModel : std::uint8_t { rmat, sbm };

/// What `generate --shape` stands for.
struct GraphShape {
  std::string_view name, description;
  EdgeModel model = EdgeModel::sbm;
  bool directed = false;
  std::uint64_t nodes = 0;
  std::uint64_t edges = 0;  ///< drawn, some of them twice or as self loops
  std::uint64_t classes = 1;
  std::uint64_t features = 0;
  std::uint64_t train = 0, valid = 0, test = 0;  ///< nodes, the rest is for nothing
  double homophily = 0, separation = 0, label_noise = 0;
  RmatShares quadrants;
};

std::span<const GraphShape> graph_shapes();

/// Fails (usage) naming those there are.
const GraphShape& graph_shape(std::string_view name);

}  // namespace frugal::gnn
