#pragma once
#include <memory>
#include <string>

#include "libcore/embedding/embedding.h"
#include "libcore/tensors/tensor_file.h"
#include "tools/gnn-sample/data/graph_content.h"

namespace frugal::gnn {

/// Features that robe-compress made small: tensors and metadata "embedding.*" of any of its
/// methods. Row r of the only table belongs to node r. Null where the document has none; fails
/// (bad_input) with `path` for several tables and what is damaged, unavailable where it does not
/// fit into memory. Large tensors are taken over: they are empty then.
std::unique_ptr<Embedding> load_feature_array(Document& document, const std::string& path);

FeatureView view_of(const Embedding& array);

/// Makes them the features of a graph that was read from `path`. Fails (bad_input) where it has
/// other features, several types of nodes, or not as many nodes as there are rows.
void use_feature_array(const Embedding& array, const std::string& path, GraphContent& content);

}  // namespace frugal::gnn
