#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "libcore/graph/node_names.h"
#include "tools/tgn-train/data/event_stream.h"
#include "tools/tgn-train/data/node_keys.h"

namespace frugal::tgn {

/// How an input names its nodes.
struct NodeNaming {
  bool names = false;    ///< names are any text; otherwise numbers
  bool own_ids = false;  ///< a destination is another node than the source with the same name
  NodeId first_id = 0;   ///< the lowest number
  /// Names of sources, or of destinations, are whole numbers: 7, 7.0 and 007 are one, which is
  /// called 7. Without own_ids, both or none.
  bool whole = false, whole_destinations = false;
};
/// Naming and keys of the input that an events file was made from.
NodeNaming naming_of(const EventStream& stream);
NodeKeys keys_of(const EventStream& stream);
/// Name of the node in the input.
std::string node_name(const EventStream& stream, const NodeNaming& naming, NodeId node);

/// The nodes of a growing stream, numbered in order of appearance.
class LiveNodes {
 public:
  LiveNodes() = default;
  explicit LiveNodes(const NodeNaming& naming) : naming_(naming) {}
  /// Starts with the nodes of an events file, under its numbers. Fails (bad_input) if two nodes
  /// have the same name.
  explicit LiveNodes(const EventStream& stream);

  const NodeNaming& naming() const { return naming_; }
  std::size_t size() const { return names_.size(); }
  /// [size()] keys of the nodes, as NodeKeys gives them for a stream of the same events.
  std::span<const std::uint64_t> keys() const { return keys_; }
  /// Returns the node's number; an unknown node gets a new one. name: a number as std::to_string()
  /// writes it, or any text.
  NodeId number(std::string_view name, bool as_destination);
  /// Name of the node in the input.
  std::string_view name(NodeId node) const {
    return names_.name(node).substr(naming_.own_ids ? 1 : 0);
  }
  /// Key that the node would have in keys() if it were added now.
  std::uint64_t key_of_new(std::string_view name, bool as_destination) const;
  std::optional<NodeId> find(std::string_view name, bool as_destination) const;

  /// True if a source and a destination with these names are one node.
  bool is_one(std::string_view source, std::string_view destination) const {
    return std::string(key(source, false)) == key(destination, true);
  }

  /// All names for a saved state, with a prefix that distinguishes sources from destinations.
  const NodeNames& stored() const { return names_; }
  /// Adds the next node by its name in stored(). Fails (bad_input), without a file name, if the
  /// name is already there.
  void restore(std::string_view stored);

 private:
  std::string_view key(std::string_view name, bool as_destination) const;
  void add_key(std::string_view name, bool as_destination);

  NodeNaming naming_;
  NodeNames names_;  ///< with a letter before each if naming_.own_ids
  mutable std::string key_;
  std::vector<std::uint64_t> keys_;
  std::uint64_t of_kind_[2] = {};  ///< nodes so far: sources or all, destinations
};

}  // namespace frugal::tgn
