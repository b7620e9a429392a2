#include "libcore/arrays/row_file.h"
#include "libcore/embedding/embedding.h"
#include "libcore/tensors/document_keys.h"
#include "tools/gnn-sample/data/graph_file.h"

namespace frugal::gnn {
namespace {

/// Tensors of a document to be written, lent from where they lie.
class TensorList {
 public:
  explicit TensorList(Document& document) : document_(document) {}
  std::string prefix;

  template <class T>
  void add(const char* name, Shape shape, std::span<const T> values) {
    document_.tensors.push_back(Tensor::lend<T>(prefix + name, std::move(shape), values));
  }
  template <class T>
  void add_if_any(const char* name, std::span<const T> values) {
    if (!values.empty()) add(name, {values.size()}, values);
  }
  void add(const Embedding& array) { array.save(document_); }
  void add(Tensor tensor) {
    tensor.name = prefix + tensor.name;
    document_.tensors.push_back(std::move(tensor));
  }

 private:
  Document& document_;
};

void list_features(const NodeSet& nodes, TensorList& list) {
  if (!nodes.features) return;
  const FeatureView& view = *nodes.features;
  if (view.array != nullptr) return list.add(*view.array);
  if (view.sparse()) {
    const std::uint64_t size = view.size();
    list.add("features.offsets", {nodes.size + 1}, std::span(view.offsets, nodes.size + 1));
    list.add("features.columns", {size}, std::span(view.columns, size));
    if (view.data == nullptr) return;
    Tensor values{"features.values", view.dtype, {size}, {}, {view.data, view.data_bytes()}};
    return list.add(std::move(values));
  }
  Tensor tensor{"features", view.dtype, {view.rows, view.dim}, {}, {}};
  if (view.data != nullptr) tensor.lent = {view.data, view.data_bytes()};
  list.add(std::move(tensor));
  list.add_if_any("features.scale", view.scales);
}

void list_splits(const NodeSet& nodes, TensorList& list) {
  const std::size_t splits = nodes.splits.size();
  if (splits == 0) return;
  if (splits == 1) return list.add("split", {nodes.size}, nodes.splits[0]);
  Tensor tensor = Tensor::make("split", Dtype::u8, {nodes.size, splits});
  const auto values = tensor.as<std::uint8_t>();
  for (std::size_t s = 0; s < splits; ++s) {
    for (std::size_t i = 0; i < nodes.size; ++i) values[i * splits + s] = nodes.splits[s][i];
  }
  list.add(std::move(tensor));
}

void list_node_set(const NodeSet& nodes, TensorList& list) {
  list_features(nodes, list);
  list.add_if_any("labels", nodes.labels);
  if (!nodes.label_matrix.empty()) {
    list.add("labels", {nodes.size, nodes.num_classes}, nodes.label_matrix);
  }
  list.add_if_any("labels", nodes.values);
  list_splits(nodes, list);
  list.add_if_any("ids", nodes.ids);
  list.add_if_any("partition", nodes.partition);
  if (!nodes.name_offsets.empty()) {
    list.add("names.offsets", {nodes.size + 1}, nodes.name_offsets);
    list.add("names", {nodes.names.size()}, nodes.names);
  }
}

void list_edge_set(const EdgeSet& edges, TensorList& list) {
  list.add("offsets", {edges.csr.offsets.size()}, edges.csr.offsets);
  list.add("neighbors", {edges.csr.neighbors.size()}, edges.csr.neighbors);
  list.add_if_any("weights", edges.weights);
  list.add_if_any("times", edges.times);
  list.add_if_any("edge_ids", edges.edge_ids);
  const EdgeFeatures& features = edges.features;
  if (features.dim == 0) return;
  list.add("edge_features", {edges.csr.neighbors.size(), features.dim}, features.values);
}

Metadata graph_metadata(const GraphContent& content) {
  Metadata metadata = content.metadata;
  std::string node_types, edge_types;
  std::uint64_t num_nodes = 0;
  for (const NodeSet& nodes : content.nodes) {
    num_nodes += nodes.size;
    node_types += (node_types.empty() ? "" : ",") + nodes.type;
    metadata[typed_key(kNodesKey, nodes.type)] = std::to_string(nodes.size);
    const std::string classes = typed_key(kClassesKey, nodes.type);
    metadata.erase(classes);
    if (nodes.num_classes != 0) metadata[classes] = std::to_string(nodes.num_classes);
    const std::string features = typed_key(kFeaturesKey, nodes.type);
    metadata.erase(features);
    if (nodes.features && nodes.features->sparse()) {
      metadata[features] = std::to_string(nodes.features->dim);
    }
  }
  for (const EdgeSet& edges : content.edges) {
    edge_types += (edge_types.empty() ? "" : ",") + edge_type_name(edges);
  }
  if (content.heterogeneous) {
    metadata[kNodeTypesKey] = node_types;
    metadata[kEdgeTypesKey] = edge_types;
  }
  metadata[kKindKey] = kGraphKind;
  metadata[kNodesKey] = std::to_string(num_nodes);
  metadata[kEdgesKey] = std::to_string(content.num_edges());
  metadata[kDirectedKey] = content.directed ? "true" : "false";
  return metadata;
}

}  // namespace

void save_graph(const std::string& path, const GraphContent& content,
                const TensorWriteOptions& options, const FeatureFiller& fill) {
  Document document;
  document.metadata = graph_metadata(content);
  TensorList list(document);
  for (const NodeSet& nodes : content.nodes) {
    list.prefix = node_prefix(content, nodes);
    list_node_set(nodes, list);
  }
  for (const EdgeSet& edges : content.edges) {
    list.prefix = edge_prefix(content, edges);
    list_edge_set(edges, list);
  }
  RowFillers fillers;
  if (fill) {
    fillers["features"] = [&](const TensorInfo&, std::uint64_t begin, std::uint64_t end,
                              std::span<std::byte> to) { fill(begin, end, to); };
    return write_rows(path, document, fillers, options);
  }
  write_document(path, document, options);
}

}  // namespace frugal::gnn
