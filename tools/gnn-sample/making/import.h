#pragma once
#include "tools/gnn-sample/making/import_options.h"
#include "tools/gnn-sample/making/import_parts.h"

namespace frugal::gnn {

/// Sets the columns of edges and nodes to what `columns` declares. Fails (usage).
void take_columns(ImportOptions& options);
/// Reads a graph and what is known of its nodes, checks all of it, and writes a graph file. Fails
/// with file and line.
ImportReport import_graph(const ImportOptions& o, const ImportProgress& progress);

}  // namespace frugal::gnn
