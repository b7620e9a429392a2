#include "tools/gnn-sample/data/feature_array.h"

#include "libcore/base/error.h"
#include "libcore/base/text.h"
#include "libcore/embedding/embedding_methods.h"
#include "libcore/system/limits.h"

namespace frugal::gnn {

std::unique_ptr<Embedding> load_feature_array(Document& document, const std::string& path) {
  if (!document.metadata.contains("embedding.method")) return nullptr;
  std::uint64_t copied = 0;
  for (const Tensor& tensor : document.tensors) {
    if (tensor.name.starts_with("embedding.")) copied += tensor.lent.size();
  }
  check_memory(path + ": the array of features", copied);
  std::unique_ptr<Embedding> array = load_embedding(document, path);
  const TableSet& tables = array->tables();
  if (tables.size() == 1) return array;
  fail(ExitStatus::bad_input, path, ": has ", tables.size(), " tables, ",
       tables.size() == 0 ? "" : printable(tables.table(0).name) + " the first, ",
       "expected one with a row for each node; robe-compress expand --select writes one");
}

FeatureView view_of(const Embedding& array) {
  FeatureView view;
  view.rows = array.tables().table(0).rows;
  view.dim = array.tables().dim();
  view.array = &array;
  return view;
}

void use_feature_array(const Embedding& array, const std::string& path, GraphContent& content) {
  if (content.heterogeneous) {
    fail(ExitStatus::bad_input, path,
         ": has an array of features and several types of nodes, expected one type");
  }
  NodeSet& nodes = content.nodes.front();
  if (nodes.features) {
    fail(ExitStatus::bad_input, path, ": has an array of features and others, expected one kind");
  }
  // The array may also have rows before the table's first, which are no node's.
  const std::uint64_t rows = array.tables().table(0).rows;
  if (rows != nodes.size) {
    fail(ExitStatus::bad_input, path, ": the array of features has ", format_count(rows, "row"),
         ", expected one for each of the ", nodes.size, " nodes");
  }
  nodes.features = view_of(array);
}

}  // namespace frugal::gnn
