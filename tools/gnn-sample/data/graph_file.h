#pragma once
#include <functional>
#include <string>

#include "libcore/tensors/tensor_file.h"
#include "tools/gnn-sample/data/graph_content.h"

namespace frugal::gnn {

/// Graph files: documents of frugal.kind "graph" (tensor-file(5)). Tensors of a homogeneous graph
/// are named "offsets", "neighbors", "features" and so on. In others, "nodes/TYPE/" or
/// "edges/SOURCE:RELATION:TARGET/" comes first.
inline constexpr char kGraphKind[] = "graph";
inline constexpr char kNodesKey[] = "graph.nodes";
inline constexpr char kEdgesKey[] = "graph.edges";
inline constexpr char kDirectedKey[] = "graph.directed";
inline constexpr char kClassesKey[] = "graph.classes";
/// "true" if times of edges were dates in the input and count seconds since 1970, "false" if they
/// were numbers. Graphs without times, and those of older versions, lack it.
inline constexpr char kDatesKey[] = "graph.dates";
/// one line for each class, in order
inline constexpr char kClassNamesKey[] = "graph.class_names";
inline constexpr char kFeaturesKey[] = "graph.features";
inline constexpr char kNodeTypesKey[] = "graph.node_types";
inline constexpr char kEdgeTypesKey[] = "graph.edge_types";

/// Key of a type: for example "graph.nodes.author" for "graph.nodes" and "author"; the key itself
/// for type "".
std::string typed_key(const std::string& key, const std::string& type);
std::string node_prefix(const GraphContent& content, const NodeSet& nodes);
std::string edge_prefix(const GraphContent& content, const EdgeSet& edges);
/// "author:writes:paper", "" in a homogeneous graph.
std::string edge_type_name(const EdgeSet& edges);

/// The metadata of a file's first document, of which only the header is read.
Metadata file_metadata(const std::string& path);

/// Views of the document's tensors. Columns of splits that are not contiguous are copied to
/// `columns`. Checks shapes, the range of ids, the order of rows, classes, parts, and that weights
/// and times are finite, but not the features. Fails (bad_input) with `path`.
GraphContent view_graph(const Document& document, const std::string& path,
                        std::vector<Array<std::uint8_t>>& columns);

/// Writes rows [begin, end) of the features to `to`.
using FeatureFiller =
    std::function<void(std::uint64_t begin, std::uint64_t end, std::span<std::byte> to)>;

/// Writes a graph file, without copying the arrays. The graph's own metadata are computed;
/// content.metadata may have further keys. If a homogeneous graph's features have no data, `fill`
/// generates them in the order of the rows. Fails as TensorWriter.
void save_graph(const std::string& path, const GraphContent& content,
                const TensorWriteOptions& options = {}, const FeatureFiller& fill = {});

}  // namespace frugal::gnn
