#pragma once
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "libcore/graph/build_graph.h"
#include "libcore/graph/generate_edges.h"

namespace frugal::gnn {

enum class EdgeModel : std::uint8_t { rmat, sbm };

/// Preset of `generate --shape`.
struct GraphShape {
  std::string_view name, description;
  EdgeModel model = EdgeModel::sbm;
  bool directed = false;
  std::uint64_t nodes = 0;
  std::uint64_t edges = 0;  ///< drawn edges, including duplicates and self loops
  std::uint64_t classes = 1;
  std::uint64_t features = 0;
  std::uint64_t train = 0, valid = 0, test = 0;  ///< nodes in each part; the rest are in none
  double homophily = 0, separation = 0, label_noise = 0;
  RmatShares quadrants;
};

std::span<const GraphShape> graph_shapes();

/// Fails (usage) for an unknown name, with a list of the known ones.
const GraphShape& graph_shape(std::string_view name);

/// Options of `generate`. "", 0, or -1 where 0 has a meaning, stands for the shape's value.
struct GenerateOptions {
  std::string output = "-";
  std::string shape = "small";
  double scale = 1;  ///< nodes and edges of the shape are divided by this
  std::string model;
  std::string direction;  ///< "directed", "undirected"
  std::uint64_t nodes = 0;
  std::uint64_t edges = 0;
  double degree = 0;  ///< mean number of undirected edges, or in-edges, of a node; instead of edges
  std::string quadrants;
  double degree_exponent = 0;
  std::uint64_t classes = 0;
  double homophily = -1;
  std::int64_t features = -1;
  std::string feature_type = "f32";
  double separation = -1;
  double label_noise = -1;
  double train_share = -1, valid_share = -1;
  bool ordered = false;
  bool duplicates = false;
  bool weights = false;
  bool times = false;
  bool edge_ids = false;
  std::uint64_t seed = 0;
  std::string history_entry;
};

struct GenerateResult {
  std::uint64_t nodes = 0, edges = 0;  ///< as stored: an undirected edge counts twice
  bool directed = false;
  BuildReport built;
  std::uint64_t classes = 1;
  double homophily = 0;  ///< share of stored edges between equal labels
  /// accuracy of the best classifier by features alone; 0 without features
  double feature_accuracy = 0;
};

/// Called with the progress of edges and of feature rows.
struct GenerateProgress {
  std::function<void(std::uint64_t edges, std::uint64_t all)> edges;
  std::function<void(std::uint64_t rows, std::uint64_t all)> rows;
};

/// Generates a graph with features, labels and a split, and writes it. Equal options give equal
/// bytes. Fails (usage) for invalid options, and (unavailable) if memory does not suffice.
GenerateResult generate(const GenerateOptions& options, const GenerateProgress& progress);

}  // namespace frugal::gnn
