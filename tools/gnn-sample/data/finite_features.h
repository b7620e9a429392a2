#pragma once
#include <string>

#include "tools/gnn-sample/data/feature_view.h"

namespace frugal::gnn {

/// Fails (bad_input) with `path` and the first node whose features are not all finite. import makes
/// no such graph, other programs may. Reads all features once, on all threads.
void check_finite(const FeatureView& features, const std::string& path);

}  // namespace frugal::gnn
