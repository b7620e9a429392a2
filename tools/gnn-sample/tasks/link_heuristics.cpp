#include "tools/gnn-sample/tasks/link_heuristics.h"

#include "libcore/base/text.h"
#include "tools/gnn-sample/tasks/common_neighbors.h"

namespace frugal::gnn {

LinkHeuristics::Ranks LinkHeuristics::rank(const LinkRanking& ranking) const {
  const CsrView graph = relation_.csr();
  const auto degree = [&](NodeId, NodeId target) {
    return static_cast<float>(graph.degree(target));
  };
  Ranks ranks{ranking.rank(degree).mrr(), ranking.chance(), {}};
  if (relation_.one_type()) ranks.adamic_adar = ranking.rank(AdamicAdar(graph)).mrr();
  return ranks;
}

void LinkHeuristics::add_to(TaskMetrics& result, Part part, const LinkRanking& ranking) const {
  std::optional<Ranks>& ranks = ranks_[part == Part::valid ? 0 : 1];
  if (!ranks) ranks = rank(ranking);
  double best = ranks->chance;
  const char* name = " of a random order";
  const auto consider = [&](double mrr, const char* of) {
    if (mrr < best) return;
    best = mrr;
    name = of;
  };
  consider(ranks->popularity, " by the popularity of targets");
  if (ranks->adamic_adar) consider(*ranks->adamic_adar, " by common neighbours (Adamic-Adar)");
  result.baseline = "mrr " + format_number(best, 4) + name;
  result.beats_baseline = result.values.front().second > best;
  result.values.emplace_back("popularity_mrr", ranks->popularity);
  if (ranks->adamic_adar) result.values.emplace_back("adamic_adar_mrr", *ranks->adamic_adar);
}

}  // namespace frugal::gnn
