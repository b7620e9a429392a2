#pragma once
#include "tools/gnn-sample/data/node_features.h"

namespace frugal::gnn {

/// Features of nodes in svmlight, a line "class index:value ..." each, as data.sparse, and the
/// classes as labels, or as the ids of `rows`, which may be null. Fails (bad_input) with file and
/// line.
void read_svmlight(PieceReader& reader, const FeatureOptions& options, NodeData& data,
                   const BytesRead& progress, RowNodes* rows);

}  // namespace frugal::gnn
