#pragma once
#include <string>

#include "tools/gnn-sample/formats/ogb_folder.h"
#include "tools/gnn-sample/making/import_options.h"

namespace frugal::gnn {

/// The files of a graph of several types, as --edges and TYPE=VALUE name them. Fails (usage).
TypedFiles files_of_options(const ImportOptions& options);

/// True if import adds a relation with these edges turned round: with --undirected between two
/// types, with --reverse-relations always.
bool has_reverse(const ImportOptions& options, const EdgeTypeFile& edges);
/// The relation TARGET:rev_RELATION:SOURCE with these edges turned round.
EdgeTypeFile reverse_of(const EdgeTypeFile& edges);

/// Fails if a name has a character that names of types cannot have, or if edges have a type that is
/// not listed. Fails also if two relations, reverse ones included, have one name. place: where the
/// names are from.
void check_type_names(const ImportOptions& options, const TypedFiles& files,
                      const std::string& place);

}  // namespace frugal::gnn
