#pragma once
#include <cstdint>
#include <string>

#include "tools/tgn-train/data/event_text.h"

namespace frugal::tgn {

/// Whether sources and destinations are nodes of two kinds, users and items: told, or seen.
enum class TwoKinds : std::uint8_t { automatic, yes, no };

struct NodeKindOptions {
  TwoKinds two_kinds = TwoKinds::automatic;
  bool own_ids =
      false;  ///< automatic: an id that both have is that of two nodes, as in JODIE files
  std::uint64_t num_nodes = 0;  ///< that there are, 0: as many as occur
};

struct NodeKinds {
  std::size_t num_nodes = 0;
  std::size_t num_sources = 0;  ///< 0: one kind
  bool shifted = false;         ///< destinations got numbers behind those of the sources
};

/// Decides whether there are two kinds: told so, where ids are names or numbers of their own, or
/// where all sources are below all destinations. Of two kinds destinations that would share
/// numbers with sources are moved behind them. Fails (bad_input) with `path` where there are more
/// nodes than fit, or than num_nodes.
NodeKinds number_kinds(EventTable& table, const NodeKindOptions& options, const std::string& path);

}  // namespace frugal::tgn
