#include "tools/gnn-sample/link_split.h"

#include <algorithm>
#include <limits>

#include "libcore/base/error.h"
#include "libcore/base/rng.h"

namespace frugal::gnn {
namespace {

constexpr std::uint64_t kLinkSplitStream = 0x6c696e6b73706c;

}  // namespace

Part LinkSplit::part(NodeId source, NodeId target) const {
  if (source > target) std::swap(source, target);
  const std::uint64_t drawn = Rng(seed_, kLinkSplitStream).at(std::uint64_t{source} << 32 | target);
  const double x = static_cast<double>(drawn >> 11) * 0x1p-53;
  if (x >= held_out_) return Part::train;
  return x < held_out_ / 2 ? Part::valid : Part::test;
}

SplitLinks::SplitLinks(const StoredGraph& graph, const LinkSplit& split) {
  const CsrView csr = graph.csr();
  for (std::size_t v = 0; v < csr.num_nodes(); ++v) {
    const auto target = static_cast<NodeId>(v);
    for (const NodeId source : csr.row(target)) {
      if (source == target || (!graph.directed() && source > target)) continue;
      const Part part = split.part(source, target);
      (part == Part::train   ? train
       : part == Part::valid ? valid
                             : test)
          .push_back({source, target});
    }
  }
  if (train.size() <= std::numeric_limits<std::uint32_t>::max()) return;
  fail(ExitStatus::unavailable, graph.path(), ": ", train.size(),
       " links are more than --task links can take");
}

}  // namespace frugal::gnn
