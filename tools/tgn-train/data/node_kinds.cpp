#include "tools/tgn-train/data/node_kinds.h"

#include <algorithm>

#include "libcore/base/error.h"
#include "libcore/base/text.h"
#include "libcore/threading/parallel.h"
#include "tools/tgn-train/data/event_file.h"

namespace frugal::tgn {
namespace {

void shift(Array<NodeId>& nodes, std::size_t by) {
  parallel_ranges(nodes.size(), [&](std::size_t begin, std::size_t end, int) {
    for (std::size_t e = begin; e < end; ++e) nodes[e] += static_cast<NodeId>(by);
  });
}

void check_size(std::uint64_t nodes, const NodeKindOptions& options, const std::string& path) {
  const std::uint64_t most = options.num_nodes != 0 ? options.num_nodes : kMostNodes;
  if (nodes <= most) return;
  fail(ExitStatus::bad_input, path, ": sources and destinations of their own are ", nodes,
       " nodes, expected at most ", most, options.num_nodes != 0 ? " (--nodes)" : "");
}

}  // namespace

NodeKinds number_kinds(EventTable& table, const NodeKindOptions& options, const std::string& path) {
  NodeKinds kinds;
  const bool told = options.two_kinds == TwoKinds::yes;
  const bool own_ids = told || (options.two_kinds == TwoKinds::automatic && options.own_ids);
  std::size_t num_sources = table.source_names.size();
  std::size_t num_destinations = table.destination_names.size();
  if (num_sources != 0) {  // names
    kinds.shifted = num_destinations != 0;
  } else {
    num_sources = std::size_t{*std::max_element(table.sources.begin(), table.sources.end())} + 1;
    const auto [first, last] =
        std::minmax_element(table.destinations.begin(), table.destinations.end());
    const bool apart = *first >= num_sources;
    num_destinations = std::size_t{*last} + 1;
    kinds.num_nodes = std::max(num_sources, num_destinations);
    kinds.shifted = !apart && own_ids;
    if (apart && options.two_kinds != TwoKinds::no) kinds.num_sources = *first;
  }
  if (kinds.shifted) {
    check_size(num_sources + num_destinations, options, path);
    shift(table.destinations, num_sources);
    kinds.num_sources = num_sources;
    kinds.num_nodes = num_sources + num_destinations;
  } else if (kinds.num_nodes == 0) {
    kinds.num_nodes = num_sources;
  }
  kinds.num_nodes = std::max<std::size_t>(kinds.num_nodes, options.num_nodes);
  return kinds;
}

}  // namespace frugal::tgn
