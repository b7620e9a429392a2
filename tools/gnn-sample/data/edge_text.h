#pragma once
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "libcore/graph/graph.h"
#include "libcore/graph/node_names.h"
#include "tools/gnn-sample/data/edge_columns.h"

namespace frugal::gnn {

inline constexpr std::uint64_t kMostNodes = 0xffffffff;

/// Whether an edge may have this weight.
inline bool is_weight(float x) { return std::isfinite(x) && x >= 0; }

/// Names of targets where these are of another type than sources.
struct TargetNames {
  NodeNames* names = nullptr;
  bool new_names = true;
  std::string source;  ///< the file of the names, for messages
};

/// What is said about a list of edges in text.
struct EdgeTextOptions {
  std::string header = "auto";  ///< yes, no; auto: as guess_header() says
  /// Names or numbers from 1; "": as a header says, else the first two.
  std::string source_column, target_column;
  /// Types of the ends, "" where there is one: columns may have their names.
  std::string source_type, target_type;
  std::string weight_column, time_column;  ///< "" and "none": none
  std::uint64_t num_nodes = kMostNodes;    ///< ids are below it
  std::string num_nodes_source;            ///< the file that says so, for messages; or ""
  /// Where targets are nodes of another type: their ids are below it, and the first line is an
  /// edge like the others.
  std::optional<std::uint64_t> num_targets;
  std::string num_targets_source;
  /// Where not null ids are any text: names get numbers here; with new_names = false they must be
  /// there already.
  NodeNames* names = nullptr;
  bool new_names = true;
  bool names_as_written = false;  ///< 7, 7.0 and 007 are three, also where all are numbers
  std::string names_source = "the list of nodes";  ///< the file of the names, for messages
  std::optional<TargetNames> target_names;         ///< none: the same
  std::optional<WholeIds> whole;                   ///< none: as the first lines say
};

/// Edges, one a line, of text separated by commas, semicolons, bars, tabs or blanks, plain, gz or
/// zst; lines that begin with # or % are comments. Lines of other lengths than the first are
/// errors. A first line "nodes edges" that tells just the numbers of lines behind it is no edge.
/// Parsed by all threads. Fails (bad_input) with file and line.
EdgeList read_edge_text(PieceReader& reader, const EdgeTextOptions& options,
                        const BytesRead& progress = {});

/// The lines of `reader` with these columns; num_nodes is one more than the largest id, or
/// options.num_nodes if that is smaller than kMostNodes.
EdgeList read_edge_lines(PieceReader& reader, const EdgeColumns& columns,
                         const EdgeTextOptions& options, const BytesRead& progress = {});

}  // namespace frugal::gnn
