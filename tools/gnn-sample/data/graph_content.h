#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "libcore/graph/graph.h"
#include "libcore/tensors/tensor_file.h"
#include "tools/gnn-sample/data/feature_view.h"

namespace frugal::gnn {

/// What a node is for, as splits store it.
enum class Part : std::uint8_t { train = 0, valid = 1, test = 2, none = 255 };

/// Nodes of one type and what is known about them. Views: somebody else keeps the arrays.
struct NodeSet {
  std::string type;  ///< "" in a homogeneous graph
  std::uint64_t size = 0;
  std::optional<FeatureView> features;         ///< `size` rows
  std::span<const std::int32_t> labels;        ///< [size] a class, or -1; or empty
  std::span<const std::uint8_t> label_matrix;  ///< [size, num_classes] 0 or 1; or empty
  std::size_t num_classes = 0;
  std::vector<std::span<const std::uint8_t>> splits;  ///< each [size], of Part
  std::span<const std::uint64_t> ids;                 ///< [size] names in the input, or empty
  std::span<const NodeId> partition;                  ///< [size] the part it lies in, or empty
  std::span<const std::uint64_t> name_offsets;        ///< [size + 1] into names, or empty
  std::span<const std::uint8_t> names;                ///< UTF-8, one behind the other
};

/// Edges of one type. A row of `csr` is a node of the target type, its neighbours are of the source
/// type.
struct EdgeSet {
  std::string source_type, relation, target_type;  ///< "" in a homogeneous graph
  CsrView csr;
  std::span<const float> weights;    ///< [edges] finite, >= 0; or empty
  std::span<const double> times;     ///< [edges] ascending in each row; or empty
  std::span<const EdgeId> edge_ids;  ///< [edges] each edge's number in the input; or empty
};

/// Views of what the graph holds; the types are the caller's to set.
EdgeSet edge_set_of(const Graph& graph);

/// All that a graph file holds. A homogeneous graph has one set of nodes and one of edges.
struct GraphContent {
  bool directed = true;  ///< false: each edge is there in both directions
  bool heterogeneous = false;
  std::vector<NodeSet> nodes;
  std::vector<EdgeSet> edges;
  Metadata metadata;  ///< of the file, with what is above in it

  /// Those of a homogeneous graph.
  const NodeSet& node_set() const { return nodes.front(); }
  const EdgeSet& edge_set() const { return edges.front(); }
  /// Of all types.
  std::uint64_t num_edges() const;
  /// The nodes of a type that is there.
  const NodeSet& nodes_of(const std::string& type) const;
};

/// Each fails (bad_input) with `place`, which begins the error line, on a violation; all threads
/// look for them.

/// What check_csr() and check_times() say, rows ascending unless there are times; weights and times
/// finite, weights not negative.
void check_edges(const EdgeSet& edges, std::uint64_t num_sources, const std::string& place);

/// Each edge is there in both directions, as often.
void check_undirected(const CsrView& csr, const std::string& place);

/// Offsets ascend from 0 to the number of columns; the columns of a row ascend below view.dim.
void check_sparse(const FeatureView& view, std::span<const std::uint64_t> offsets,
                  std::span<const std::uint32_t> columns, const std::string& place);

/// Labels are -1 or below num_classes, a matrix of them holds 0 and 1, splits 0, 1, 2 and 255.
void check_nodes(const NodeSet& nodes, const std::string& place);

}  // namespace frugal::gnn
