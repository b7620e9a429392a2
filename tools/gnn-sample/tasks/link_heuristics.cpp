#include "tools/gnn-sample/tasks/link_heuristics.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "libcore/base/text.h"

namespace frugal::gnn {
namespace {

/// Scores of pairs by common neighbours. Fast for pairs with one source after the other.
class AdamicAdar {
 public:
  explicit AdamicAdar(const CsrView& graph) : graph_(graph), shares_(graph.num_nodes()) {}

  float operator()(NodeId source, NodeId target) {
    if (!has_source_ || source != source_) mark(source);
    float sum = 0;
    for (const NodeId common : graph_.row(target)) sum += shares_[common];
    return sum;
  }

 private:
  void mark(NodeId source) {
    if (has_source_) {
      for (const NodeId v : graph_.row(source_)) shares_[v] = 0;
    }
    source_ = source;
    has_source_ = true;
    for (const NodeId v : graph_.row(source)) {
      shares_[v] = 1 / std::log(static_cast<float>(std::max(2U, graph_.degree(v))));
    }
  }

  CsrView graph_;
  std::vector<float> shares_;  ///< 1 / log(degree) of the neighbours of the source, others 0
  NodeId source_ = 0;
  bool has_source_ = false;
};

}  // namespace

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
