#include "tools/gnn-sample/data/node_lookup.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "libcore/base/hash.h"
#include "libcore/base/text.h"
#include "libcore/tables/delimited.h"

namespace frugal::gnn {
namespace {

std::uint64_t key_of(std::uint64_t id) { return hash_bytes(&id, sizeof(id)); }

/// 7, 7.0 and 007 are one id.
std::optional<std::uint64_t> whole_number(std::string_view text) {
  if (const auto id = parse_number<std::uint64_t>(text)) return id;
  const auto id = parse_whole(text);
  return id && *id >= 0 ? std::optional(static_cast<std::uint64_t>(*id)) : std::nullopt;
}

Dtype type_of(std::span<const std::uint64_t> ids) {
  constexpr std::uint64_t kMost = std::numeric_limits<std::int64_t>::max();
  const bool fit =
      std::all_of(ids.begin(), ids.end(), [](std::uint64_t id) { return id <= kMost; });
  return fit ? Dtype::i64 : Dtype::u64;
}

}  // namespace

std::string_view node_name(const NodeSet& set, std::size_t node) {
  const std::string_view all(reinterpret_cast<const char*>(set.names.data()), set.names.size());
  return all.substr(set.name_offsets[node], set.name_offsets[node + 1] - set.name_offsets[node]);
}

std::string node_text(const NodeSet& set, std::size_t node) {
  if (!set.name_offsets.empty()) return std::string(node_name(set, node));
  return std::to_string(set.ids.empty() ? std::uint64_t{node} : set.ids[node]);
}

NodeLookup::NodeLookup(const NodeSet& nodes) : nodes_(nodes) {
  if (!by_name() && nodes.ids.empty()) return;
  std::vector<std::uint64_t> keys(nodes.size);
  for (std::size_t v = 0; v < nodes.size; ++v) keys[v] = key(v);
  index_ = HashIndex(std::move(keys));
}

std::uint64_t NodeLookup::key(std::size_t node) const {
  return by_name() ? hash_bytes(node_name(nodes_, node)) : key_of(nodes_.ids[node]);
}

std::optional<NodeId> NodeLookup::find(std::string_view text) const {
  if (by_name()) {
    const std::uint32_t node = index_.find(hash_bytes(text));
    const bool found = node != HashIndex::kMissing && node_name(nodes_, node) == text;
    return found ? std::optional<NodeId>(node) : std::nullopt;
  }
  const auto id = whole_number(text);
  if (!id) return std::nullopt;
  if (nodes_.ids.empty()) {
    return *id < nodes_.size ? std::optional(static_cast<NodeId>(*id)) : std::nullopt;
  }
  const std::uint32_t node = index_.find(key_of(*id));
  const bool found = node != HashIndex::kMissing && nodes_.ids[node] == *id;
  return found ? std::optional<NodeId>(node) : std::nullopt;
}

std::optional<NodeId> NodeLookup::find_field(std::string_view field) const {
  const std::optional<NodeId> node = find(field);
  if (node || !field.starts_with('"')) return node;
  std::vector<std::string_view> fields;
  RecordParser parser(DelimitedStyle{'\n', true});
  parser.parse(field, fields);
  return fields.size() == 1 && parser.problem().empty() ? find(fields[0]) : std::nullopt;
}

std::string NodeLookup::expected(bool two) const {
  const std::string of = two ? "s of two nodes" : " of a node";
  if (by_name()) return "the name" + of;
  if (!nodes_.ids.empty()) return "the id" + of + " in the input of import";
  return "the number" + of + " below " + std::to_string(nodes_.size);
}

NodeIdentities::NodeIdentities(const NodeSet& nodes, std::string prefix)
    : nodes_(nodes), prefix_(std::move(prefix)), id_type_(type_of(nodes.ids)) {}

void NodeIdentities::add(std::span<const NodeId> nodes, Document& document) const {
  if (!nodes_.name_offsets.empty()) return add_names(nodes, document);
  if (nodes_.ids.empty()) return;
  Tensor ids = Tensor::make(prefix_ + "ids", id_type_, {nodes.size()});
  // The bits of a number that fits are the same in both types.
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    std::memcpy(ids.bytes.data() + i * sizeof(std::uint64_t), &nodes_.ids[nodes[i]],
                sizeof(std::uint64_t));
  }
  document.tensors.push_back(std::move(ids));
}

void NodeIdentities::add_names(std::span<const NodeId> nodes, Document& document) const {
  Tensor offsets = Tensor::make(prefix_ + "names.offsets", Dtype::u64, {nodes.size() + 1});
  const auto ends = offsets.as<std::uint64_t>();
  ends[0] = 0;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    ends[i + 1] = ends[i] + node_name(nodes_, nodes[i]).size();
  }
  Tensor names = Tensor::make(prefix_ + "names", Dtype::u8, {ends[nodes.size()]});
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const std::string_view name = node_name(nodes_, nodes[i]);
    if (!name.empty()) std::memcpy(names.bytes.data() + ends[i], name.data(), name.size());
  }
  document.tensors.push_back(std::move(offsets));
  document.tensors.push_back(std::move(names));
}

}  // namespace frugal::gnn
