#include "tools/tgn-train/data/live_nodes.h"

#include <algorithm>

#include "libcore/base/error.h"
#include "libcore/base/text.h"
#include "libcore/tensors/metadata_reader.h"
#include "tools/tgn-train/data/event_file.h"

namespace frugal::tgn {

namespace {

bool are_whole(const EventStream& stream, std::size_t begin, std::size_t end) {
  for (std::size_t v = begin; v < end; ++v) {
    const std::string_view name = stream.name(static_cast<NodeId>(v));
    if (whole_number_text(name) != name) return false;
  }
  return true;
}

}  // namespace

NodeNaming naming_of(const EventStream& stream) {
  const bool shifted = MetadataReader(stream.metadata(), stream.path()).flag(kShiftedKey, false);
  NodeNaming naming;
  naming.names = stream.has_names();
  // With names, a source and a destination may share one, so the two kinds are kept apart.
  naming.own_ids = stream.bipartite() && (naming.names || shifted);
  naming.first_id = stream.first_id();
  const std::size_t nodes = stream.num_nodes();
  const std::size_t sources = naming.own_ids ? stream.num_sources() : nodes;
  naming.whole = naming.names && are_whole(stream, 0, sources);
  naming.whole_destinations =
      naming.own_ids ? naming.names && are_whole(stream, sources, nodes) : naming.whole;
  return naming;
}

NodeKeys keys_of(const EventStream& stream) {
  NodeKeys keys;
  if (naming_of(stream).own_ids) keys.first_destination = static_cast<NodeId>(stream.num_sources());
  return keys;
}

std::string node_name(const EventStream& stream, const NodeNaming& naming, NodeId node) {
  if (naming.names) return std::string(stream.name(node));
  const std::size_t sources = naming.own_ids ? stream.num_sources() : stream.num_nodes();
  return std::to_string(node - (node >= sources ? sources : 0) + naming.first_id);
}

LiveNodes::LiveNodes(const EventStream& stream) : LiveNodes(naming_of(stream)) {
  const std::size_t sources = naming_.own_ids ? stream.num_sources() : stream.num_nodes();
  for (std::size_t v = 0; v < stream.num_nodes(); ++v) {
    const std::string name = node_name(stream, naming_, static_cast<NodeId>(v));
    if (number(name, v >= sources) == v) continue;
    fail(ExitStatus::bad_input, stream.path(), ": two nodes are called '", printable(name),
         "', expected different names");
  }
}

std::string_view LiveNodes::key(std::string_view name, bool as_destination) const {
  key_.clear();
  if (naming_.own_ids) key_ += as_destination ? 'd' : 's';
  const bool is_whole = !naming_.own_ids ? naming_.whole && naming_.whole_destinations
                        : as_destination ? naming_.whole_destinations
                                         : naming_.whole;
  const auto whole = is_whole ? whole_number_text(name) : std::nullopt;
  return key_ += whole ? *whole : name;
}

NodeId LiveNodes::number(std::string_view name, bool as_destination) {
  const NodeId node = names_.number(key(name, as_destination));
  if (node == keys_.size()) add_key(name, as_destination);
  return node;
}

/// Names have numbers as they come, of each kind for itself.
std::uint64_t LiveNodes::key_of_new(std::string_view name, bool as_destination) const {
  as_destination = as_destination && naming_.own_ids;
  std::uint64_t index = of_kind_[as_destination ? 1 : 0];
  if (!naming_.names) {
    index = parse_number<std::uint64_t>(name).value_or(naming_.first_id) - naming_.first_id;
  }
  return NodeKeys::key(index, as_destination);
}

/// Gives a new node its key.
void LiveNodes::add_key(std::string_view name, bool as_destination) {
  keys_.push_back(key_of_new(name, as_destination));
  ++of_kind_[as_destination && naming_.own_ids ? 1 : 0];
}

std::optional<NodeId> LiveNodes::find(std::string_view name, bool as_destination) const {
  return names_.find(key(name, as_destination));
}

void LiveNodes::restore(std::string_view stored) {
  const std::size_t before = size();
  if (names_.number(stored) == before) {
    const bool as_destination = naming_.own_ids && stored.starts_with('d');
    return add_key(
        naming_.own_ids ? stored.substr(std::min<std::size_t>(1, stored.size())) : stored,
        as_destination);
  }
  fail(ExitStatus::bad_input, "two nodes are called '", printable(stored),
       "', expected different names");
}

}  // namespace frugal::tgn
