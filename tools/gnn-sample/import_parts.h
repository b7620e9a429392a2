#pragma once
#include <cstdint>
#include <string>

#include "libcore/graph/build_graph.h"
#include "tools/gnn-sample/data/node_data.h"
#include "tools/gnn-sample/import.h"

namespace frugal::gnn {

/// What imports of one type and of several types of nodes have in common.

/// A number of nodes and who says so.
struct NodeCount {
  std::uint64_t nodes = 0;
  std::string source;  ///< "": nobody yet

  /// Takes what the first says; fails (bad_input) where another says something else.
  void agree(std::uint64_t other, const std::string& other_source);
};

/// Fails (unavailable) where the graph needs more memory than there is: one id may be a large
/// number. Warns where most of the ids have no edge.
void check_graph_memory(const std::string& path, std::uint64_t nodes, std::uint64_t edges);
/// Warns of classes between others that no node has.
void warn_of_unused_classes(const NodeLabels& labels, const std::string& path);

BuildOptions build_options(const ImportOptions& options, bool symmetrize);
/// Views of what `nodes` holds.
NodeSet node_set_of(const NodeData& nodes, std::uint64_t size);
Metadata import_metadata(const ImportOptions& options, bool symmetrized);
/// Names of the classes of a type of nodes, "" where there is one, if they have some.
void add_class_names(const NodeLabels& labels, const std::string& type, Metadata& metadata);
void count_parts(const NodeData& nodes, ImportReport& report);

/// Graphs of several types, from --edges or a folder of OGB.
ImportReport import_types(const ImportOptions& options, const ImportProgress& progress);

}  // namespace frugal::gnn
