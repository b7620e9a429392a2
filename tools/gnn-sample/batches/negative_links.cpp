#include "tools/gnn-sample/batches/negative_links.h"

#include <algorithm>
#include <vector>

#include "libcore/base/error.h"

namespace frugal::gnn {
namespace {

/// Draws before all targets are looked at.
constexpr int kTries = 64;
constexpr int kTriesOfBoth = 1 << 16;

}  // namespace

Link NegativeLinks::draw(const Link& positive, Rng& rng) const {
  const std::size_t n = graph_.num_nodes();
  Link link = positive;
  const int tries = options_.both_ends ? kTriesOfBoth : kTries;
  for (int i = 0; i < tries; ++i) {
    link.target = static_cast<NodeId>(rng.below(n));
    if (options_.both_ends) link.source = static_cast<NodeId>(rng.below(n));
    if (!options_.no_edges || allowed(link)) return link;
  }
  if (!options_.both_ends) return draw_among_allowed(positive, rng);
  fail(ExitStatus::bad_input, "no two nodes without an edge were found in ", kTriesOfBoth,
       " tries; negatives that are no edges cannot be drawn of this graph");
}

bool NegativeLinks::allowed(const Link& link) const {
  if (link.source == link.target) return false;
  const auto row = graph_.row(link.target);
  return options_.sources_ascend ? !std::binary_search(row.begin(), row.end(), link.source)
                                 : std::find(row.begin(), row.end(), link.source) == row.end();
}

Link NegativeLinks::draw_among_allowed(const Link& positive, Rng& rng) const {
  std::vector<NodeId> targets;
  for (std::size_t v = 0; v < graph_.num_nodes(); ++v) {
    const auto target = static_cast<NodeId>(v);
    if (allowed({positive.source, target})) targets.push_back(target);
  }
  if (targets.empty()) {
    fail(ExitStatus::bad_input, "node ", positive.source,
         " has an edge to every node: there are no negatives for it; replace both ends");
  }
  return {positive.source, targets[rng.below(targets.size())]};
}

}  // namespace frugal::gnn
