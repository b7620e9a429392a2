#pragma once
#include <cstdint>
#include <string>

#include "tools/tgn-train/data/event_text.h"

namespace frugal::tgn {

/// Whether sources and destinations are nodes of two kinds, such as users and items. automatic:
/// detected.
enum class TwoKinds : std::uint8_t { automatic, yes, no };

struct NodeKindOptions {
  TwoKinds two_kinds = TwoKinds::automatic;
  bool own_ids =
      /// automatic: an id of a source and a destination is that of two nodes, as in JODIE files
      false;
  std::uint64_t num_nodes = 0;  ///< number of nodes; 0: as many as occur
};

struct NodeKinds {
  std::size_t num_nodes = 0;
  std::size_t num_sources = 0;  ///< 0: one kind
  bool shifted = false;         ///< destinations were renumbered after the sources
};

/// Decides whether there are two kinds: if the options say so, if destinations have their own ids,
/// or if all sources are below all destinations. With two kinds, destinations that share numbers
/// with sources are renumbered after them. Fails (bad_input) with `path` if there are more nodes
/// than fit, or than num_nodes.
NodeKinds number_kinds(EventTable& table, const NodeKindOptions& options, const std::string& path);

}  // namespace frugal::tgn
