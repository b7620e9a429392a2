#pragma once
#include "tools/gnn-sample/generate.h"
#include "tools/gnn-sample/graph_shapes.h"

namespace frugal::gnn {

/// The shape that options name, with what they say instead of it. Fails (usage) for what makes no
/// sense.
GraphShape shape_of(const GenerateOptions& options);

}  // namespace frugal::gnn
