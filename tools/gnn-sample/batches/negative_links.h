#pragma once
#include <cstdint>

#include "libcore/base/rng.h"
#include "libcore/graph/csr.h"
#include "tools/gnn-sample/sampler/neighbor_sampler.h"

namespace frugal::gnn {

struct NegativeLinkOptions {
  std::uint32_t per_link = 0;  ///< negatives of each link
  bool both_ends = false;      ///< replace both ends, not the target alone
  bool no_edges = false;       ///< never an edge of the graph, nor from a node to itself
  bool sources_ascend = true;  ///< in the rows of the graph
};

/// Replaces ends of links by nodes of the graph, each equally likely, or with no_edges each of
/// those that are allowed. For many threads.
class NegativeLinks {
 public:
  NegativeLinks(const CsrView& graph, const NegativeLinkOptions& options)
      : graph_(graph), options_(options) {}

  /// Fails (bad_input) where no negative can be found.
  Link draw(const Link& positive, Rng& rng) const;

 private:
  bool allowed(const Link& link) const;
  Link draw_among_allowed(const Link& positive, Rng& rng) const;

  CsrView graph_;
  NegativeLinkOptions options_;
};

}  // namespace frugal::gnn
