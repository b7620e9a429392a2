#include "tools/gnn-sample/data/graph_fingerprint.h"

#include <algorithm>
#include <optional>
#include <span>

#include "libcore/base/hash.h"
#include "libcore/embedding/embedding.h"
#include "tools/gnn-sample/data/feature_view.h"
#include "tools/gnn-sample/data/graph_file.h"

namespace frugal::gnn {
namespace {

/// Number of bytes at either end of a large array that are hashed. A fingerprint is not a checksum.
constexpr std::size_t kHashedBytes = std::size_t{1} << 20;

template <class T>
std::uint64_t hash_ends(std::span<const T> values, std::uint64_t hash) {
  const std::span<const std::byte> bytes = std::as_bytes(values);
  const std::size_t n = std::min(bytes.size(), kHashedBytes);
  hash = hash_bytes(bytes.data(), n, hash + bytes.size());
  return hash_bytes(bytes.data() + bytes.size() - n, n, hash);
}

std::uint64_t hash_array(const Embedding& array, std::uint64_t hash) {
  Document document;
  array.save(document);
  for (const auto& [key, value] : document.metadata) {
    hash = hash_bytes(value.data(), value.size(), hash);
  }
  for (const Tensor& tensor : document.tensors) hash = hash_ends(tensor.content(), hash);
  return hash;
}

}  // namespace

std::string edges_fingerprint(const CsrView& csr) {
  return std::to_string(hash_ends(csr.neighbors, hash_ends(csr.offsets, csr.num_nodes())));
}

std::string edges_fingerprint(std::span<const EdgeSet> types) {
  if (types.front().source_type.empty()) return edges_fingerprint(types.front().csr);
  std::uint64_t hash = 0;
  for (const EdgeSet& edges : types) {
    const std::string name = edge_type_name(edges);
    hash = hash_bytes(name.data(), name.size(), hash);
    hash = hash_ends(edges.csr.neighbors, hash_ends(edges.csr.offsets, hash));
  }
  return std::to_string(hash);
}

namespace {

std::uint64_t hash_edges(const EdgeSet& edges, std::uint64_t hash) {
  hash = hash_ends(edges.csr.offsets, hash);
  hash = hash_ends(edges.csr.neighbors, hash);
  hash = hash_ends(edges.weights, hash);
  return edges.features.dim == 0 ? hash : hash_ends(edges.features.values, hash);
}

std::uint64_t hash_nodes(const NodeSet& nodes, std::uint64_t hash) {
  hash = hash_ends(nodes.labels, hash);
  hash = hash_ends(nodes.label_matrix, hash);
  if (!nodes.values.empty()) hash = hash_ends(nodes.values, hash);
  for (const std::span<const std::uint8_t> split : nodes.splits) hash = hash_ends(split, hash);
  const std::optional<FeatureView>& f = nodes.features;
  if (!f) return hash;
  hash = hash_ends(std::span(f->data, f->data_bytes()), hash);
  hash = hash_ends(f->scales, hash);
  if (f->array != nullptr) hash = hash_array(*f->array, hash);
  if (f->sparse()) {
    hash = hash_ends(std::span(f->columns, f->size()), hash);
    hash = hash_ends(std::span(f->offsets, f->rows + 1), hash);
  }
  return hash;
}

}  // namespace

std::string graph_fingerprint(const StoredGraph& graph) {
  const GraphContent& content = graph.content();
  std::uint64_t hash = 0;
  for (const NodeSet& nodes : content.nodes) hash += nodes.size;
  // The names of types, which graphs of one type do not have, tell apart those of equal edges.
  const auto hash_name = [&](const std::string& name) {
    if (content.heterogeneous) hash = hash_bytes(name.data(), name.size(), hash);
  };
  for (const EdgeSet& edges : content.edges) {
    hash_name(edge_type_name(edges));
    hash = hash_edges(edges, hash);
  }
  for (const NodeSet& nodes : content.nodes) {
    hash_name(nodes.type);
    hash = hash_nodes(nodes, hash);
  }
  return std::to_string(hash);
}

}  // namespace frugal::gnn
