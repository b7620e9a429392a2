#include "tools/gnn-sample/tasks/link_ranking.h"

#include <algorithm>

#include "libcore/base/rng.h"
#include "libcore/base/text.h"
#include "libcore/system/limits.h"

namespace frugal::gnn {
namespace {

constexpr std::uint64_t kScoredNegatives = 0x6c696e6b6576616c;
constexpr std::size_t kMostDrawn = 100000;  ///< scored links of a part that was drawn by chance

}  // namespace

std::vector<NodeId> NodeEmbeddings::make_room() {
  std::vector<NodeId> nodes;
  for (std::size_t v = 0; v < places_.size(); ++v) {
    if (places_[v] == kNone) continue;
    places_[v] = static_cast<std::uint32_t>(nodes.size());
    nodes.push_back(static_cast<NodeId>(v));
  }
  check_memory(format_count(nodes.size(), "embedding") + " of " + std::to_string(dim_) + " numbers",
               std::uint64_t{nodes.size()} * dim_ * sizeof(float));
  rows_ = Array<float>(nodes.size() * dim_);
  return nodes;
}

void NodeEmbeddings::set(std::size_t first, MatrixView<const float> rows) {
  for (std::size_t r = 0; r < rows.rows; ++r) {
    std::copy_n(rows.row(r), dim_, rows_.data() + (first + r) * dim_);
  }
}

LinkRanking::LinkRanking(const LinkRelation& relation, const std::vector<Link>& links, Part part,
                         const LinkRankingOptions& options)
    : links_(links),
      num_targets_(relation.targets().size),
      seed_(options.seed),
      stream_(kScoredNegatives + static_cast<std::uint64_t>(part)),
      one_type_(relation.one_type()),
      drawn_(options.negatives),
      step_(options.all ? 1
                        : std::max<std::size_t>(1, (links.size() + kMostDrawn - 1) / kMostDrawn)) {}

void LinkRanking::negatives_of(std::size_t link, std::vector<NodeId>& targets) const {
  const Rng rng(seed_, stream_);
  const auto [low, high] = std::minmax(links_[link].source, links_[link].target);
  targets.resize(drawn_);
  for (std::size_t i = 0; i < drawn_; ++i) {
    const std::uint64_t number = rng.at(link * drawn_ + i) >> 32;
    NodeId& target = targets[i];
    if (one_type_) {
      target = static_cast<NodeId>(number * (num_targets_ - 2) >> 32);
      if (target >= low) ++target;
      if (target >= high) ++target;
    } else {
      target = static_cast<NodeId>(number * (num_targets_ - 1) >> 32);
      if (target >= links_[link].target) ++target;
    }
  }
}

void LinkRanking::want(NodeEmbeddings& sources, NodeEmbeddings& targets) const {
  std::vector<NodeId> negatives;
  for (std::size_t l = 0; l < links_.size(); l += step_) {
    sources.want(links_[l].source);
    targets.want(links_[l].target);
    negatives_of(l, negatives);
    for (const NodeId target : negatives) targets.want(target);
  }
}

LinkMetrics LinkRanking::rank(const Score& score) const {
  LinkMetrics metrics;
  std::vector<NodeId> negatives;
  std::vector<float> scores(drawn_);
  for (std::size_t l = 0; l < links_.size(); l += step_) {
    negatives_of(l, negatives);
    for (std::size_t i = 0; i < drawn_; ++i) scores[i] = score(links_[l].source, negatives[i]);
    metrics.add(score(links_[l].source, links_[l].target), scores);
  }
  return metrics;
}

TaskMetrics link_result(const LinkMetrics& metrics, const std::string& select) {
  const double score = select == "loss"  ? -metrics.loss()
                       : select == "auc" ? metrics.auc()
                                         : metrics.mrr();
  return {metrics.values(), score, metrics.loss(), ""};
}

}  // namespace frugal::gnn
