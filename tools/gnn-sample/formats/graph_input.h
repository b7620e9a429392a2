#pragma once
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "libcore/tables/format_table.h"
#include "tools/gnn-sample/data/node_data.h"
#include "tools/gnn-sample/formats/edge_text.h"

namespace frugal::gnn {

/// A graph as an input gives it.
struct GraphInput {
  EdgeList edges;
  bool listed_once = false;      ///< undirected, each edge stands there in one direction
  bool both_directions = false;  ///< undirected, each edge stands there in both
  bool counted_by_ids = false;   ///< num_nodes is one more than the largest id of an edge
  NodeData nodes;                ///< formats that bundle nodes and edges
  NodeNames names;               ///< of formats that have some of their own; or none
  Tensor edge_features;          ///< F32 [edges, dim] in their order, of formats that have some
};

struct GraphReadOptions {
  EdgeTextOptions text;    ///< of edges in text
  std::string split_name;  ///< the folder of OGB's split; "": the only one
  BytesRead progress;
};

/// Where a graph is read from.
class GraphSource {
 public:
  explicit GraphSource(std::string path) : path_(std::move(path)) {}
  const std::string& path() const { return path_; }
  /// For messages: the path, or "stdin".
  std::string name() const { return path_ == "-" ? "stdin" : path_; }
  /// From the beginning. Whoever looks at it reads here, as a pipe can be read only once.
  PieceReader& text();
  /// The first bytes, "" for folders; also of a file that is no text.
  std::string_view head();
  bool is_pipe() const;
  /// The bytes one after the other, unpacked, as ByteSource::read(); of a pipe whole lines.
  std::size_t read(char* out, std::size_t size);
  std::uint64_t bytes_read() const;

 private:
  std::string path_;
  std::string begin_;  ///< of a file that is no text
  std::optional<PieceReader> text_;
  std::optional<ByteSource> bytes_;
  TextPiece piece_;  ///< of a pipe
  std::size_t given_ = 0;
};

/// One format of graphs. The table is all there is to say about a format.
struct GraphFormat {
  std::string_view name;
  std::string_view description;
  bool (*recognises)(const FormatSample& sample);
  void (*read)(GraphSource& source, const GraphReadOptions& options, GraphInput& input);
  std::span<const std::string_view> suffixes = {};
  bool distinctive = true;
  bool is_table = false;  ///< lines of columns
};

const FormatTable<GraphFormat>& graph_formats();

/// Reads the graph of a path in the format of that name, or auto.
class GraphReader {
 public:
  GraphReader(std::string path, const std::string& format);

  /// Whether its ids, in text, are all whole numbers as far as the first lines say.
  bool has_whole_ids(const EdgeTextOptions& text);
  /// Fails with file and line.
  GraphInput read(const GraphReadOptions& options);

 private:
  GraphSource source_;
  const GraphFormat& format_;
};
GraphInput read_graph_input(const std::string& path, const std::string& format,
                            const GraphReadOptions& options);

/// Fails (usage) where the options tell columns, names or a header of text, which the format of
/// `path` has not.
void check_no_columns(const std::string& path, const EdgeTextOptions& text);

/// Matrix Market coordinates (NIST): general, symmetric or skew-symmetric; pattern, real,
/// integer or unsigned-integer, the values become weights unless text.weight_column is "none".
void read_matrix_market(GraphSource& source, const GraphReadOptions& options, GraphInput& input);
/// GraphML: nodes and edges by ids, attributes as text.columns name them.
void read_graph_ml(GraphSource& source, const GraphReadOptions& options, GraphInput& input);
/// JSON: node-link data ("nodes", and "links" or "edges"), a list of edges, or JSON Lines of edges.
void read_json_graph(GraphSource& source, const GraphReadOptions& options, GraphInput& input);
/// METIS: "nodes edges [format [weights a node]]", then the neighbours of a node a line, from 1.
void read_metis_graph(GraphSource& source, const GraphReadOptions& options, GraphInput& input);
/// *.npz with CSR arrays (scipy, gnn-benchmark) or edge_index (OGB, PyG), and what it has of nodes;
/// *.npy of [2, edges] or [edges, 2].
void read_numpy_graph(const std::string& path, const GraphReadOptions& options, GraphInput& input);
/// A folder of the Open Graph Benchmark: raw/edge.csv.gz or raw/data.npz and what lies beside.
void read_ogb_folder(const std::string& path, const GraphReadOptions& options, GraphInput& input);

}  // namespace frugal::gnn
