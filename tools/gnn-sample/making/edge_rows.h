#pragma once
#include <cstdint>
#include <string>

#include "libcore/base/array.h"
#include "libcore/graph/graph.h"
#include "libcore/tables/table_rows.h"
#include "libcore/tensors/tensor_file.h"

namespace frugal::gnn {

/// Reads features of edges, F32 [edges, dim]. A text has a row of numbers for each edge, between
/// commas, tabs or blanks, with or without a header. Other files are as for read_features(), with
/// dense rows. Fails (bad_input) with file and line; (usage) for sparse rows and arrays of
/// robe-compress.
Tensor read_edge_rows(const std::string& path, const BytesRead& progress);

/// The rows of the graph's edges, [edges, dim], by their numbers in the input (Graph::edge_ids).
/// Edges that were added have zeros.
Array<float> edge_rows_of(const Graph& graph, const Tensor& rows);

}  // namespace frugal::gnn
