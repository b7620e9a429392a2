#include "tools/gnn-sample/tasks/link_ranking.h"

#include <algorithm>

#include "libcore/base/rng.h"
#include "libcore/base/text.h"
#include "libcore/kernels/kernels.h"
#include "libcore/system/limits.h"

namespace frugal::gnn {
namespace {

constexpr std::uint64_t kScoredNegatives = 0x6c696e6b6576616c;
constexpr std::size_t kBytesOfScore = 32;   ///< of a pair: once as it is and once sorted
constexpr std::size_t kMostDrawn = 100000;  ///< scored links of a part that was drawn by chance

/// The pairs with this source; pairs ascend by source.
std::span<const Link> with_source(std::span<const Link> pairs, NodeId source) {
  const auto begin = std::ranges::lower_bound(pairs, source, {}, &Link::source);
  return {begin, std::ranges::upper_bound(pairs, source, {}, &Link::source)};
}

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

float NodeEmbeddings::dot(NodeId node, const NodeEmbeddings& others, NodeId other) const {
  return kernels().dot(row(node), others.row(other), dim_);
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
      given_(options.given) {}

/// Calls body with the links that are ranked among the same given negatives: all links, or those of
/// each source.
void LinkRanking::for_each_group(const Group& body) const {
  if (given_->shared) return body(links_, given_->pairs);
  std::vector<Link> sorted = links_;
  std::ranges::stable_sort(sorted, {}, &Link::source);
  for (std::span<const Link> left = sorted; !left.empty();) {
    const std::span<const Link> same = with_source(left, left[0].source);
    body(same, with_source(given_->pairs, same[0].source));
    left = left.subspan(same.size());
  }
}

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
  const auto want_all = [&](std::span<const Link> pairs) {
    for (const Link& pair : pairs) {
      sources.want(pair.source);
      targets.want(pair.target);
    }
  };
  if (given_ != nullptr) {
    return for_each_group([&](std::span<const Link> links, std::span<const Link> negatives) {
      want_all(links);
      want_all(negatives);
    });
  }
  std::vector<NodeId> negatives;
  for (std::size_t l = 0; l < links_.size(); l += step_) {
    want_all({&links_[l], 1});
    negatives_of(l, negatives);
    for (const NodeId target : negatives) targets.want(target);
  }
}

LinkMetrics LinkRanking::rank(const Score& score) const {
  LinkMetrics metrics(given_ == nullptr ? 1 : LinkMetrics::kMaxHits);
  if (given_ != nullptr) {
    const std::size_t pairs = links_.size() + given_->pairs.size();
    check_memory("scores of " + format_count(pairs, "pair"), pairs * kBytesOfScore);
    std::vector<float> of_links, of_negatives;
    const auto score_all = [&](std::span<const Link> from, std::vector<float>& scores) {
      scores.clear();
      for (const Link& pair : from) scores.push_back(score(pair.source, pair.target));
    };
    for_each_group([&](std::span<const Link> links, std::span<const Link> negatives) {
      score_all(links, of_links);
      score_all(negatives, of_negatives);
      metrics.add_all(of_links, of_negatives);
    });
    return metrics;
  }
  std::vector<NodeId> negatives;
  std::vector<float> scores(drawn_);
  for (std::size_t l = 0; l < links_.size(); l += step_) {
    negatives_of(l, negatives);
    for (std::size_t i = 0; i < drawn_; ++i) scores[i] = score(links_[l].source, negatives[i]);
    metrics.add(score(links_[l].source, links_[l].target), scores);
  }
  return metrics;
}

TaskMetrics LinkRanking::result(const Score& score, const std::string& select) const {
  const LinkMetrics metrics = rank(score);
  const double value = select == "loss"  ? -metrics.loss()
                       : select == "auc" ? metrics.auc()
                                         : metrics.mrr();
  TaskMetrics result{metrics.values(), value, metrics.loss(), ""};
  if (given_ != nullptr) result.ranked_among = among();
  return result;
}

std::string LinkRanking::among() const {
  if (given_ == nullptr) return format_count(drawn_, "random pair");
  const std::size_t pairs = given_->pairs.size();
  if (given_->shared) return format_count(pairs, "given pair");
  return "given pairs with its source (" + std::to_string(pairs) + " in all)";
}

double LinkRanking::chance() const {
  const auto of_random_order = [](std::size_t ranked) {
    double sum = 0;
    for (std::size_t rank = 1; rank <= ranked; ++rank) sum += 1 / static_cast<double>(rank);
    return sum / static_cast<double>(ranked);
  };
  if (given_ == nullptr) return of_random_order(drawn_ + 1);
  double sum = 0;
  for_each_group([&](std::span<const Link> links, std::span<const Link> negatives) {
    sum += static_cast<double>(links.size()) * of_random_order(negatives.size() + 1);
  });
  return sum / static_cast<double>(links_.size());
}

}  // namespace frugal::gnn
