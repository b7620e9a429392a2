#pragma once
#include <cmath>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "libcore/graph/graph.h"
#include "libcore/tensors/tensor_file.h"
#include "tools/gnn-sample/data/feature_view.h"

namespace frugal::gnn {

/// Part of a node in a split, as stored in files.
enum class Part : std::uint8_t { train = 0, valid = 1, test = 2, none = 255 };

/// Nodes of one type with their data, as views of arrays owned elsewhere.
struct NodeSet {
  std::string type;  ///< "" in a homogeneous graph
  std::uint64_t size = 0;
  std::optional<FeatureView> features;         ///< `size` rows
  std::span<const std::int32_t> labels;        ///< [size] class, or -1 for none; or empty
  std::span<const std::uint8_t> label_matrix;  ///< [size, num_classes] 0 or 1; or empty
  std::size_t num_classes = 0;
  std::span<const float> values;  ///< [size] numbers to predict, NaN for none; or empty
  std::vector<std::span<const std::uint8_t>> splits;  ///< each [size], of Part
  std::span<const std::uint64_t> ids;                 ///< [size] ids in the input, or empty
  std::span<const NodeId> partition;                  ///< [size] part of each node, or empty
  std::span<const std::uint64_t> name_offsets;        ///< [size + 1] into names, or empty
  std::span<const std::uint8_t> names;                ///< UTF-8, concatenated

  bool has_names() const { return !name_offsets.empty(); }
  bool has_labels() const { return !labels.empty() || !label_matrix.empty() || !values.empty(); }
  bool is_labelled(NodeId node) const {
    if (!values.empty()) return !std::isnan(values[node]);
    return !label_matrix.empty() || (!labels.empty() && labels[node] >= 0);
  }
};

/// Features of edges: rows of numbers.
struct EdgeFeatures {
  std::span<const float> values;  ///< [edges, dim] finite; or empty
  std::size_t dim = 0;
};

/// Edges of one type. A row of `csr` is a node of the target type, its neighbours are of the source
/// type.
struct EdgeSet {
  std::string source_type, relation, target_type;  ///< "" in a homogeneous graph
  CsrView csr;
  std::span<const float> weights;    ///< [edges] finite, >= 0; or empty
  std::span<const double> times;     ///< [edges] ascending in each row; or empty
  std::span<const EdgeId> edge_ids;  ///< [edges] number of each edge in the input; or empty
  EdgeFeatures features = {};
};

/// Views of the graph's arrays; the caller sets the types.
EdgeSet edge_set_of(const Graph& graph);

/// Content of a graph file. A homogeneous graph has one set of nodes and one of edges.
struct GraphContent {
  bool directed = true;  ///< false: each edge is stored in both directions
  bool heterogeneous = false;
  std::vector<NodeSet> nodes;
  std::vector<EdgeSet> edges;
  Metadata metadata;  ///< of the file, including the values above

  /// The nodes and edges of a homogeneous graph.
  const NodeSet& node_set() const { return nodes.front(); }
  const EdgeSet& edge_set() const { return edges.front(); }
  /// Number of edges of all types.
  std::uint64_t num_edges() const;
  /// The nodes of an existing type.
  const NodeSet& nodes_of(const std::string& type) const;
};

/// The checks below fail (bad_input) with `place` at the beginning of the message, and use all
/// threads.

/// Requires what check_csr() and check_times() require; rows ascend unless there are times.
/// Weights, times and features must be finite, weights not negative.
void check_edges(const EdgeSet& edges, std::uint64_t num_sources, const std::string& place);

/// Requires each edge to exist equally often in both directions.
void check_undirected(const CsrView& csr, const std::string& place);

/// Requires offsets to ascend from 0 to the number of columns, and the columns of each row to
/// ascend and to be below view.dim.
void check_sparse(const FeatureView& view, std::span<const std::uint64_t> offsets,
                  std::span<const std::uint32_t> columns, const std::string& place);

/// Requires labels to be -1 or below num_classes, a label matrix to contain 0 and 1 only, values to
/// be finite or NaN, and splits 0, 1, 2 and 255 only.
void check_nodes(const NodeSet& nodes, const std::string& place);

}  // namespace frugal::gnn
