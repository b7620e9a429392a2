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

/// What an input calls its nodes.
struct NodeNaming {
  bool names = false;    ///< any text; else numbers
  bool own_ids = false;  ///< a destination is another node than the source of the same name
  NodeId first_id = 0;   ///< the lowest number
};
/// Of the input that an events file was made of.
NodeNaming naming_of(const EventStream& stream);
NodeKeys keys_of(const EventStream& stream);
/// What the input calls the node.
std::string node_name(const EventStream& stream, const NodeNaming& naming, NodeId node);

/// The nodes of a stream that goes on, numbered as they come.
class LiveNodes {
 public:
  LiveNodes() = default;
  explicit LiveNodes(const NodeNaming& naming) : naming_(naming) {}
  /// Those of an events file, with its numbers. Fails (bad_input) where two have one name.
  explicit LiveNodes(const EventStream& stream);

  const NodeNaming& naming() const { return naming_; }
  std::size_t size() const { return names_.size(); }
  /// [size()] those that NodeKeys has of a stream of the same events.
  std::span<const std::uint64_t> keys() const { return keys_; }
  /// The node's number, a new one where it has none. name: a number as std::to_string() writes it,
  /// or any text.
  NodeId number(std::string_view name, bool as_destination);
  /// What the input calls the node.
  std::string_view name(NodeId node) const {
    return names_.name(node).substr(naming_.own_ids ? 1 : 0);
  }
  /// Key that the node would get from keys() if it came now.
  std::uint64_t key_of_new(std::string_view name, bool as_destination) const;
  std::optional<NodeId> find(std::string_view name, bool as_destination) const;

  /// For a saved state: all names, with what tells sources from destinations.
  const NodeNames& stored() const { return names_; }
  /// Of the next node. Fails (bad_input), without a place, where it stands there already.
  void restore(std::string_view stored);

 private:
  std::string_view key(std::string_view name, bool as_destination) const;
  void add_key(std::string_view name, bool as_destination);

  NodeNaming naming_;
  NodeNames names_;  ///< behind a letter where destinations have names of their own
  mutable std::string key_;
  std::vector<std::uint64_t> keys_;
  std::uint64_t of_kind_[2] = {};  ///< nodes so far: sources or all, destinations
};

}  // namespace frugal::tgn
