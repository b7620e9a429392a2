#include "tools/gnn-sample/parts/feature_parts.h"

#include <algorithm>

#include "libcore/base/error.h"
#include "libcore/base/hash.h"
#include "tools/gnn-sample/parts/node_owners.h"

namespace frugal::gnn {
namespace {

RowShares shares_of(double own, double cached, double fetched) {
  const double all = own + cached + fetched;
  if (all == 0) return {1, 0, 0};
  return {own / all, cached / all, fetched / all};
}

void expect_rows(const StoredGraph& graph) {
  const std::optional<FeatureView> features = graph.features();
  if (!features) {
    fail(ExitStatus::usage, graph.path(),
         ": has no features, --feature-parts divides those among ranks; without it each rank "
         "computes the input rows of all nodes");
  }
  if (!features->sparse() && features->array == nullptr) return;
  fail(ExitStatus::usage, graph.path(), ": has ",
       features->sparse() ? "sparse features" : "features in an array of robe-compress",
       ", --feature-parts is for dense ones; without it each rank has all features");
}

}  // namespace

RowShares RowShares::of(const RowCounts& c) {
  return shares_of(static_cast<double>(c.own), static_cast<double>(c.cached),
                   static_cast<double>(c.fetched));
}

FeatureParts::FeatureParts(const FeaturePartsOptions& options, const StoredGraph& graph,
                           const Communicator& ranks)
    : cache_(options.cache), me_(static_cast<std::uint32_t>(ranks.rank())) {
  expect_rows(graph);
  const auto count = static_cast<std::uint32_t>(ranks.size());
  owners_ = options.parts == "even" ? even_owners(graph.num_nodes(), count)
                                    : read_owners(options.parts, graph, count);
  fingerprint_ =
      std::to_string(hash_bytes(owners_.data(), owners_.size() * sizeof(owners_.front())));
}

KeptRows FeatureParts::load(const StoredGraph& graph, const std::vector<float>& probabilities) {
  const auto own = static_cast<double>(std::ranges::count(owners_, me_));
  const double most = std::min(cache_ * own, static_cast<double>(owners_.size()));
  const std::vector<NodeId> cached =
      most_probable(probabilities, owners_, me_, static_cast<std::size_t>(most));
  double in_own = 0, in_cache = 0, in_all = 0;
  for (std::size_t v = 0; v < owners_.size(); ++v) {
    in_all += probabilities[v];
    if (owners_[v] == me_) in_own += probabilities[v];
  }
  for (const NodeId v : cached) in_cache += probabilities[v];
  expected_ = shares_of(in_own, in_cache, in_all - in_own - in_cache);
  return KeptRows(graph, owners_, me_, cached);
}

}  // namespace frugal::gnn
