#include "tools/gnn-sample/data/node_parts.h"

#include <filesystem>
#include <limits>

#include "libcore/base/error.h"
#include "libcore/base/text.h"
#include "libcore/tensors/document_gate.h"
#include "libcore/tensors/metadata_reader.h"
#include "libcore/tensors/tensor_file.h"
#include "tools/gnn-sample/data/graph_fingerprint.h"

namespace frugal::gnn {

std::string parts_tensor(const NodeSet& nodes) {
  return nodes.type.empty() ? "partition" : "nodes/" + nodes.type + "/partition";
}

NodeParts read_node_parts(const std::string& path, const StoredGraph& graph, std::size_t type) {
  const NodeSet& nodes = graph.content().nodes[type];
  const std::string name = parts_tensor(nodes);
  const Document document = read_document(path);
  check_document(document, path, {"parts as gnn-sample partition writes", {kPartitionKind}});
  if (document.find(name) == nullptr) {
    fail(ExitStatus::bad_input, path, ": has no tensor ", printable(name),
         ", expected the parts of ", graph.path());
  }
  const Tensor& tensor = document.at(name);
  if (tensor.dtype != Dtype::u32 || tensor.shape != Shape{nodes.size}) {
    fail(ExitStatus::bad_input, path, ": tensor ", printable(name), " is ",
         dtype_name(tensor.dtype), " ", shape_text(tensor.shape), ", expected U32 [", nodes.size,
         "], the parts of the nodes of ", graph.path());
  }
  const std::span<const NodeId> parts = tensor.as<NodeId>();
  const MetadataReader metadata(document, path);
  // Files of version 1.0, which have one type, have no hash.
  if ((metadata.has(kPartitionGraphKey) || !nodes.type.empty()) &&
      metadata.text(kPartitionGraphKey) != edges_fingerprint(graph.edges_of_file())) {
    fail(ExitStatus::bad_input, path,
         ": has the parts of a graph with other edges, expected those of ", graph.path());
  }
  NodeParts read{{parts.begin(), parts.end()},
                 metadata.number(kPartitionPartsKey, 1, std::numeric_limits<std::uint32_t>::max())};
  for (std::size_t v = 0; v < read.of.size(); ++v) {
    if (read.of[v] < read.number) continue;
    fail(ExitStatus::bad_input, path, ": node ", v, " is in part ", read.of[v], ", expected 0 to ",
         read.number - 1);
  }
  return read;
}

std::string file_of_part(const std::string& name) {
  const std::size_t colon = name.rfind(':');
  if (colon == std::string::npos || colon == 0 || std::filesystem::exists(name)) return name;
  const std::string file = name.substr(0, colon);
  const bool is_number = colon + 1 < name.size() &&
                         name.find_first_not_of("0123456789", colon + 1) == std::string::npos;
  return is_number || std::filesystem::exists(file) ? file : name;
}

std::optional<std::vector<NodeId>> nodes_of_part(const std::string& name, const StoredGraph& graph,
                                                 std::size_t type) {
  const std::string path = file_of_part(name);
  if (path == name) return std::nullopt;
  const NodeParts parts = read_node_parts(path, graph, type);
  const auto part = parse_number<std::uint32_t>(std::string_view(name).substr(path.size() + 1));
  if (!part || *part >= parts.number) {
    fail(ExitStatus::usage, printable(name), ": there is no such part, expected ", path, ":0 to ",
         path, ":", parts.number - 1);
  }
  std::vector<NodeId> nodes;
  for (std::size_t v = 0; v < parts.of.size(); ++v) {
    if (parts.of[v] == *part) nodes.push_back(static_cast<NodeId>(v));
  }
  return nodes;
}

}  // namespace frugal::gnn
