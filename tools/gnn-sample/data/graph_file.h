#pragma once
#include <functional>
#include <string>

#include "libcore/tensors/tensor_file.h"
#include "tools/gnn-sample/data/graph_content.h"

namespace frugal::gnn {

/// Graph files: documents of frugal.kind "graph" (tensor-file(5)). Tensors of a homogeneous graph
/// are named "offsets", "neighbors", "features" ...; those of others have "nodes/TYPE/" or
/// "edges/SOURCE:RELATION:TARGET/" before.
inline constexpr char kGraphKind[] = "graph";
inline constexpr char kNodesKey[] = "graph.nodes";
inline constexpr char kEdgesKey[] = "graph.edges";
inline constexpr char kDirectedKey[] = "graph.directed";
inline constexpr char kClassesKey[] = "graph.classes";
inline constexpr char kClassNamesKey[] = "graph.class_names";  ///< a line each, in their order
inline constexpr char kFeaturesKey[] = "graph.features";
inline constexpr char kNodeTypesKey[] = "graph.node_types";
inline constexpr char kEdgeTypesKey[] = "graph.edge_types";

/// "graph.nodes" of nodes "author" is "graph.nodes.author"; the key alone of type "".
std::string typed_key(const std::string& key, const std::string& type);
std::string node_prefix(const GraphContent& content, const NodeSet& nodes);
std::string edge_prefix(const GraphContent& content, const EdgeSet& edges);
/// "author:writes:paper", "" in a homogeneous graph.
std::string edge_type_name(const EdgeSet& edges);

/// What the document holds, as views of its tensors; columns of splits that are not one behind the
/// other in memory are copied to `columns`. All is checked: shapes, ids in range, rows in order,
/// classes, parts, finite weights and times; not the features. Fails (bad_input) with `path`.
GraphContent view_graph(const Document& document, const std::string& path,
                        std::vector<Array<std::uint8_t>>& columns);

/// Makes rows [begin, end) of the features.
using FeatureFiller =
    std::function<void(std::uint64_t begin, std::uint64_t end, std::span<std::byte> to)>;

/// Writes the graph; content.metadata may have more keys than the graph's own, which are made anew.
/// Arrays are written from where they lie. Where a homogeneous graph's features have no data,
/// `fill` makes them in the order of the rows. Fails as TensorWriter.
void save_graph(const std::string& path, const GraphContent& content,
                const TensorWriteOptions& options = {}, const FeatureFiller& fill = {});

}  // namespace frugal::gnn
