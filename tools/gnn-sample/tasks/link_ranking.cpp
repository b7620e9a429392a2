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
                        : std::max<std::size_t>(1, (links.size() + kMostDrawn - 1) / kMostDrawn)),
      given_(options.given) {
  if (given_.empty()) return;
  std::ranges::stable_sort(given_, {}, &Link::source);
  ranks_by_source_ = true;
  for (std::size_t l = 0; l < links_.size(); l += step_) {
    ranks_by_source_ &= !given_of(l).empty();
  }
}

/// The given negatives with the link's source.
std::span<const Link> LinkRanking::given_of(std::size_t link) const {
  const auto found = std::ranges::equal_range(given_, links_[link].source, {}, &Link::source);
  return {found.begin(), found.end()};
}

void LinkRanking::negatives_of(std::size_t link, std::vector<NodeId>& targets) const {
  if (ranks_by_source_) {
    targets.clear();
    for (const Link& negative : given_of(link)) targets.push_back(negative.target);
    return;
  }
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
  for (const Link& negative : given_) {
    sources.want(negative.source);
    targets.want(negative.target);
  }
  std::vector<NodeId> negatives;
  for (std::size_t l = 0; l < links_.size(); l += step_) {
    sources.want(links_[l].source);
    targets.want(links_[l].target);
    if (!given_.empty()) continue;
    negatives_of(l, negatives);
    for (const NodeId target : negatives) targets.want(target);
  }
}

LinkMetrics LinkRanking::rank(const Score& score) const {
  LinkMetrics metrics(given_.empty() ? 1 : LinkMetrics::kMaxHits);
  std::vector<float> scores;
  if (!given_.empty() && !ranks_by_source_) {
    std::vector<float> links;
    for (const Link& link : links_) links.push_back(score(link.source, link.target));
    for (const Link& link : given_) scores.push_back(score(link.source, link.target));
    metrics.add_all(links, scores);
    return metrics;
  }
  std::vector<NodeId> negatives;
  for (std::size_t l = 0; l < links_.size(); l += step_) {
    negatives_of(l, negatives);
    scores.resize(negatives.size());
    for (std::size_t i = 0; i < scores.size(); ++i) {
      scores[i] = score(links_[l].source, negatives[i]);
    }
    metrics.add(score(links_[l].source, links_[l].target), scores);
  }
  return metrics;
}

std::string LinkRanking::among() const {
  if (given_.empty()) return format_count(drawn_, "random pair") + " each";
  const std::string pairs = format_count(given_.size(), "given pair");
  return ranks_by_source_ ? "those of " + pairs + " that have its source" : pairs;
}

double LinkRanking::chance() const {
  const auto of_random_order = [](std::size_t ranked) {
    double sum = 0;
    for (std::size_t rank = 1; rank <= ranked; ++rank) sum += 1 / static_cast<double>(rank);
    return sum / static_cast<double>(ranked);
  };
  if (!ranks_by_source_) return of_random_order((given_.empty() ? drawn_ : given_.size()) + 1);
  double sum = 0;
  std::size_t ranked = 0;
  for (std::size_t l = 0; l < links_.size(); l += step_, ++ranked) {
    sum += of_random_order(given_of(l).size() + 1);
  }
  return sum / static_cast<double>(ranked);
}

TaskMetrics link_result(const LinkMetrics& metrics, const std::string& select) {
  const double score = select == "loss"  ? -metrics.loss()
                       : select == "auc" ? metrics.auc()
                                         : metrics.mrr();
  return {metrics.values(), score, metrics.loss(), ""};
}

}  // namespace frugal::gnn
