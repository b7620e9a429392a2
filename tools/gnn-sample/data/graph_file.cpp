#include "tools/gnn-sample/data/graph_file.h"

#include <algorithm>

#include "libcore/base/error.h"
#include "libcore/base/text.h"
#include "libcore/embedding/embedding.h"
#include "libcore/tensors/document_gate.h"
#include "libcore/tensors/document_keys.h"
#include "libcore/tensors/metadata_reader.h"
#include "tools/gnn-sample/data/graph_content.h"
#include "tools/gnn-sample/data/sparse_rows.h"

namespace frugal::gnn {
namespace {

constexpr std::uint64_t kMaxNodes = 0xffffffff;
constexpr std::uint64_t kMaxClasses = 0x7fffffff;  // labels are I32

/// Finds tensors behind a prefix, and what is wrong with them.
class GraphTensors {
 public:
  GraphTensors(const Document& document, const std::string& path, std::string prefix)
      : document_(document), path_(path), prefix_(std::move(prefix)) {}

  std::string place() const {
    return prefix_.empty() ? path_ : path_ + ": " + prefix_.substr(0, prefix_.size() - 1);
  }
  const Tensor* find(const char* name) const { return document_.find(prefix_ + name); }

  [[noreturn]] void refuse(const Tensor& tensor, const std::string& expected) const {
    fail(ExitStatus::bad_input, path_, ": tensor '", printable(tensor.name), "' is ",
         dtype_name(tensor.dtype), " ", shape_text(tensor.shape), ", expected ", expected);
  }
  void require(const Tensor& tensor, Dtype dtype, const Shape& shape) const {
    if (tensor.dtype == dtype && tensor.shape == shape) return;
    refuse(tensor, std::string(dtype_name(dtype)) + " " + shape_text(shape));
  }
  /// The tensor of [size] where it is there, else nothing.
  template <class T>
  std::span<const T> vector(const char* name, std::uint64_t size) const {
    const Tensor* const tensor = find(name);
    if (tensor == nullptr) return {};
    require(*tensor, dtype_of<T>(), {size});
    return tensor->as<T>();
  }
  /// A tensor of rank 1 that must be there.
  template <class T>
  std::span<const T> needed(const char* name, std::uint64_t least) const {
    const Tensor* const tensor = find(name);
    if (tensor == nullptr) {
      fail(ExitStatus::bad_input, path_, ": no tensor '", printable(prefix_ + name),
           "', expected a graph");
    }
    if (tensor->dtype != dtype_of<T>() || tensor->shape.size() != 1 || tensor->shape[0] < least) {
      refuse(*tensor, std::string(dtype_name(dtype_of<T>())) + " of one axis");
    }
    return tensor->as<T>();
  }

 private:
  const Document& document_;
  const std::string& path_;
  std::string prefix_;
};

std::optional<std::uint64_t> number_in(const Metadata& metadata, const std::string& key,
                                       const std::string& path) {
  const MetadataReader read(metadata, path);
  return read.has(key) ? std::optional(read.number(key)) : std::nullopt;
}

/// Whether the tensor has a type that features may be stored in.
bool holds_features(const Tensor& tensor, bool sparse) {
  return tensor.dtype == Dtype::f32 || tensor.dtype == Dtype::f16 || tensor.dtype == Dtype::bf16 ||
         (tensor.dtype == Dtype::i8 && !sparse);
}

void view_sparse_features(const GraphTensors& tensors, const Document& document, NodeSet& nodes) {
  FeatureView view;
  view.rows = nodes.size;
  const auto offsets = tensors.needed<std::uint64_t>("features.offsets", 0);
  const auto columns = tensors.needed<std::uint32_t>("features.columns", 0);
  if (offsets.size() != nodes.size + 1) {
    tensors.refuse(*tensors.find("features.offsets"), "[" + std::to_string(nodes.size + 1) + "]");
  }
  const auto dim =
      number_in(document.metadata, typed_key(kFeaturesKey, nodes.type), tensors.place());
  if (!dim || *dim == 0 || *dim > kMostFeatures) {
    fail(ExitStatus::bad_input, tensors.place(), ": metadata ", typed_key(kFeaturesKey, nodes.type),
         " is ", dim ? std::to_string(*dim) : "missing", ", expected 1 to ", kMostFeatures,
         " for tensor features.columns");
  }
  view.dim = *dim;
  view.offsets = offsets.data();
  view.columns = columns.data();
  if (const Tensor* const values = tensors.find("features.values")) {
    if (!holds_features(*values, true) || values->shape != Shape{columns.size()}) {
      tensors.refuse(*values, "F32, F16 or BF16 [" + std::to_string(columns.size()) +
                                  "], as many as features.columns");
    }
    view.dtype = values->dtype;
    view.data = values->content().data();
  }
  check_sparse(view, offsets, columns, tensors.place());
  nodes.features = view;
}

void view_features(const GraphTensors& tensors, const Document& document, NodeSet& nodes) {
  const Tensor* const tensor = tensors.find("features");
  for (const char* name : {"features.columns", "features.offsets", "features.values"}) {
    const Tensor* const sparse = tensors.find(name);
    if (sparse == nullptr) continue;
    if (tensor != nullptr) tensors.refuse(*sparse, "none beside 'features'");
    return view_sparse_features(tensors, document, nodes);
  }
  if (tensor == nullptr) return;
  if (!holds_features(*tensor, false) || tensor->shape.size() != 2 ||
      tensor->shape[0] != nodes.size || tensor->shape[1] == 0) {
    tensors.refuse(*tensor, "F32, F16, BF16 or I8 [" + std::to_string(nodes.size) +
                                ", features], a row for each node");
  }
  FeatureView view;
  view.dtype = tensor->dtype;
  view.data = tensor->content().data();
  view.rows = nodes.size;
  view.dim = static_cast<std::size_t>(tensor->shape[1]);
  if (tensor->dtype == Dtype::i8) {
    view.scales = tensors.vector<float>("features.scale", nodes.size);
    if (view.scales.size() != nodes.size) tensors.refuse(*tensor, "features.scale with I8");
  }
  nodes.features = view;
}

void view_labels(const GraphTensors& tensors, const Metadata& metadata, const std::string& path,
                 NodeSet& nodes) {
  const auto classes = number_in(metadata, typed_key(kClassesKey, nodes.type), path);
  const Tensor* const tensor = tensors.find("labels");
  if (classes.value_or(0) > kMaxClasses) {
    fail(ExitStatus::bad_input, path, ": metadata ", printable(typed_key(kClassesKey, nodes.type)),
         " is ", *classes, ", expected at most ", kMaxClasses);
  }
  if (tensor == nullptr) return;
  if (tensor->dtype == Dtype::f32) {
    nodes.values = tensors.vector<float>("labels", nodes.size);
    return;
  }
  nodes.num_classes = static_cast<std::size_t>(classes.value_or(0));
  if (tensor->dtype == Dtype::u8 && tensor->shape.size() == 2) {
    nodes.num_classes = static_cast<std::size_t>(tensor->shape[1]);
    tensors.require(*tensor, Dtype::u8, {nodes.size, classes.value_or(tensor->shape[1])});
    nodes.label_matrix = tensor->as<std::uint8_t>();
    return;
  }
  nodes.labels = tensors.vector<std::int32_t>("labels", nodes.size);
  if (classes || nodes.labels.empty()) return;
  const std::int64_t largest = *std::max_element(nodes.labels.begin(), nodes.labels.end());
  nodes.num_classes = static_cast<std::size_t>(std::max<std::int64_t>(largest, -1) + 1);
}

void check_class_names(const Metadata& metadata, const std::string& path, const NodeSet& nodes) {
  const auto found = metadata.find(typed_key(kClassNamesKey, nodes.type));
  if (found == metadata.end()) return;
  const std::size_t names = split(found->second, '\n').size();
  if (names == nodes.num_classes) return;
  fail(ExitStatus::bad_input, path, ": metadata ", printable(found->first), " has ",
       format_count(names, "name"), ", expected ", nodes.num_classes, ", one for each class");
}

void view_splits(const GraphTensors& tensors, NodeSet& nodes,
                 std::vector<Array<std::uint8_t>>& columns) {
  const Tensor* const tensor = tensors.find("split");
  if (tensor == nullptr) return;
  const bool matrix = tensor->shape.size() == 2;
  const std::uint64_t splits = matrix ? tensor->shape[1] : 1;
  tensors.require(*tensor, Dtype::u8, matrix ? Shape{nodes.size, splits} : Shape{nodes.size});
  const auto values = tensor->as<std::uint8_t>();
  if (splits == 1) {
    nodes.splits.push_back(values);
    return;
  }
  for (std::uint64_t s = 0; s < splits && nodes.size != 0; ++s) {
    Array<std::uint8_t>& column = columns.emplace_back(nodes.size, uninitialized);
    for (std::size_t i = 0; i < nodes.size; ++i) column[i] = values[i * splits + s];
    nodes.splits.push_back({column.data(), column.size()});
  }
}

void view_names(const GraphTensors& tensors, const std::string& path, NodeSet& nodes) {
  nodes.name_offsets = tensors.vector<std::uint64_t>("names.offsets", nodes.size + 1);
  if (nodes.name_offsets.empty()) return;
  nodes.names = tensors.needed<std::uint8_t>("names", 0);
  const bool good = nodes.name_offsets.front() == 0 &&
                    nodes.name_offsets.back() == nodes.names.size() &&
                    std::is_sorted(nodes.name_offsets.begin(), nodes.name_offsets.end());
  if (good) return;
  fail(ExitStatus::bad_input, path, ": tensor names.offsets does not ascend from 0 to the ",
       nodes.names.size(), " bytes of names");
}

void view_node_set(const Document& document, const std::string& path, GraphContent& content,
                   NodeSet& nodes, std::vector<Array<std::uint8_t>>& columns) {
  const GraphTensors tensors(document, path, node_prefix(content, nodes));
  view_features(tensors, document, nodes);
  view_labels(tensors, document.metadata, path, nodes);
  check_class_names(document.metadata, path, nodes);
  view_splits(tensors, nodes, columns);
  view_names(tensors, path, nodes);
  nodes.ids = tensors.vector<std::uint64_t>("ids", nodes.size);
  nodes.partition = tensors.vector<NodeId>("partition", nodes.size);
  check_nodes(nodes, tensors.place());
}

void view_edge_set(const Document& document, const std::string& path, GraphContent& content,
                   EdgeSet& edges) {
  const GraphTensors tensors(document, path, edge_prefix(content, edges));
  edges.csr.offsets = tensors.needed<EdgeId>("offsets", 1);
  edges.csr.neighbors = tensors.needed<NodeId>("neighbors", 0);
  const std::uint64_t size = edges.csr.num_edges();
  edges.weights = tensors.vector<float>("weights", size);
  edges.times = tensors.vector<double>("times", size);
  edges.edge_ids = tensors.vector<EdgeId>("edge_ids", size);
  const Tensor* const features = tensors.find("edge_features");
  if (features == nullptr) return;
  const bool rows = features->shape.size() == 2 && features->shape[0] == size;
  if (features->dtype != Dtype::f32 || !rows || features->shape[1] - 1 >= kMostFeatures) {
    tensors.refuse(*features, "F32 [" + std::to_string(size) + ", features], a row for each edge");
  }
  edges.features = {features->as<float>(), static_cast<std::size_t>(features->shape[1])};
}

/// Sizes of the sets of nodes: the rows of edges into them, else what the metadata say.
void size_node_sets(const Document& document, const std::string& path, GraphContent& content) {
  for (NodeSet& nodes : content.nodes) {
    auto size = number_in(document.metadata, typed_key(kNodesKey, nodes.type), path);
    for (const EdgeSet& edges : content.edges) {
      if (edges.target_type != nodes.type) continue;
      if (size.value_or(edges.csr.num_nodes()) != edges.csr.num_nodes()) {
        fail(ExitStatus::bad_input, path, ": tensor '", edge_prefix(content, edges),
             "offsets' has rows for ", edges.csr.num_nodes(), " nodes, expected ", *size);
      }
      size = edges.csr.num_nodes();
    }
    if (!size || *size > kMaxNodes) {
      fail(ExitStatus::bad_input, path, ": ", size ? std::to_string(*size) : "unknown number of",
           " nodes ", printable(nodes.type), ", expected at most ", kMaxNodes);
    }
    nodes.size = *size;
  }
}

EdgeSet named_edge_set(std::string_view name, const GraphContent& content,
                       const std::string& path) {
  const auto parts = split(name, ':');
  const auto known = [&](std::string_view type) {
    return std::any_of(content.nodes.begin(), content.nodes.end(),
                       [&](const NodeSet& nodes) { return nodes.type == type; });
  };
  if (parts.size() != 3 || !known(parts[0]) || !known(parts[2])) {
    fail(ExitStatus::bad_input, path, ": metadata ", kEdgeTypesKey, " has '", printable(name),
         "', expected SOURCE:RELATION:TARGET with types that ", kNodeTypesKey, " lists");
  }
  EdgeSet edges;
  edges.source_type = parts[0];
  edges.relation = parts[1];
  edges.target_type = parts[2];
  return edges;
}

/// Sets are found by their names.
void check_names(const char* key, std::vector<std::string_view> names, const std::string& path) {
  std::sort(names.begin(), names.end());
  const auto twice = std::adjacent_find(names.begin(), names.end());
  if (!names.front().empty() && twice == names.end()) return;
  fail(ExitStatus::bad_input, path, ": metadata ", key, " has ",
       names.front().empty() ? "a type without a name" : "'" + printable(*twice) + "' twice",
       ", expected different names");
}

/// The sets that the metadata list.
void list_sets(const Document& document, const std::string& path, GraphContent& content) {
  const auto node_types = document.metadata.find(kNodeTypesKey);
  const auto edge_types = document.metadata.find(kEdgeTypesKey);
  content.heterogeneous = node_types != document.metadata.end();
  if (!content.heterogeneous) {
    content.nodes.emplace_back();
    content.edges.emplace_back();
    return;
  }
  const std::vector<std::string_view> types = split(node_types->second, ',');
  check_names(kNodeTypesKey, types, path);
  for (const std::string_view type : types) content.nodes.emplace_back().type = type;
  if (edge_types == document.metadata.end()) {
    fail(ExitStatus::bad_input, path, ": no metadata ", kEdgeTypesKey, " beside ", kNodeTypesKey);
  }
  const std::vector<std::string_view> names = split(edge_types->second, ',');
  for (const std::string_view name : names) {
    content.edges.push_back(named_edge_set(name, content, path));
  }
  check_names(kEdgeTypesKey, names, path);
}

/// Fails (bad_input) if the metadata give another number than `found`.
void check_count(const Document& document, const char* key, std::uint64_t found,
                 const std::string& path) {
  const auto said = document.metadata.find(key);
  if (said == document.metadata.end() || said->second == std::to_string(found)) return;
  fail(ExitStatus::bad_input, path, ": ", key, " is '", printable(said->second), "', expected ",
       found, ", as many as there are");
}

}  // namespace

EdgeSet edge_set_of(const Graph& graph) {
  EdgeSet set;
  set.csr = graph.csr();
  set.weights = {graph.weights.data(), graph.weights.size()};
  set.times = {graph.times.data(), graph.times.size()};
  set.edge_ids = {graph.edge_ids.data(), graph.edge_ids.size()};
  return set;
}

std::uint64_t GraphContent::num_edges() const {
  std::uint64_t n = 0;
  for (const EdgeSet& set : edges) n += set.csr.num_edges();
  return n;
}

const NodeSet& GraphContent::nodes_of(const std::string& type) const {
  return *std::find_if(nodes.begin(), nodes.end(),
                       [&](const NodeSet& set) { return set.type == type; });
}

std::string typed_key(const std::string& key, const std::string& type) {
  return type.empty() ? key : key + "." + type;
}

std::string edge_type_name(const EdgeSet& edges) {
  if (edges.source_type.empty()) return "";
  return edges.source_type + ":" + edges.relation + ":" + edges.target_type;
}

std::string node_prefix(const GraphContent& content, const NodeSet& nodes) {
  return content.heterogeneous ? "nodes/" + nodes.type + "/" : "";
}

std::string edge_prefix(const GraphContent& content, const EdgeSet& edges) {
  return content.heterogeneous ? "edges/" + edge_type_name(edges) + "/" : "";
}

Metadata file_metadata(const std::string& path) {
  const std::optional<DocumentInfo> info = TensorReader(path).next_info();
  return info ? info->metadata : Metadata();
}

GraphContent view_graph(const Document& document, const std::string& path,
                        std::vector<Array<std::uint8_t>>& columns) {
  check_document(document, path, {"a graph as gnn-sample import or generate writes", {kGraphKind}});
  GraphContent content;
  content.metadata = document.metadata;
  content.directed = MetadataReader(document, path).flag(kDirectedKey, /*standard=*/true);
  list_sets(document, path, content);
  for (EdgeSet& edges : content.edges) view_edge_set(document, path, content, edges);
  size_node_sets(document, path, content);
  for (NodeSet& nodes : content.nodes) view_node_set(document, path, content, nodes, columns);
  for (const EdgeSet& edges : content.edges) {
    const GraphTensors tensors(document, path, edge_prefix(content, edges));
    check_edges(edges, content.nodes_of(edges.source_type).size, tensors.place());
  }
  check_count(document, kEdgesKey, content.num_edges(), path);
  if (!content.directed && !content.heterogeneous) check_undirected(content.edge_set().csr, path);
  return content;
}

}  // namespace frugal::gnn
