#pragma once
#include <cmath>

#include "libcore/graph/graph.h"
#include "tools/gnn-sample/formats/edge_columns.h"
#include "tools/gnn-sample/formats/edge_text_options.h"

namespace frugal::gnn {

/// Whether an edge may have this weight.
inline bool is_weight(float x) { return std::isfinite(x) && x >= 0; }

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
