#include "tools/gnn-sample/batches/link_batches.h"

#include <algorithm>
#include <cassert>
#include <utility>
#include <vector>

#include "libcore/base/error.h"
#include "libcore/base/hash.h"

namespace frugal::gnn {
namespace {

/// Draws before all targets are looked at.
constexpr int kTries = 64;
constexpr int kTriesOfBoth = 1 << 16;

// Streams of what is random.
constexpr std::uint64_t kDirections = 0x6c696e6b646972;
constexpr std::uint64_t kNegatives = 0x6c696e6b6e6567;

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

LinkBatches::LinkBatches(LinkList list, const SeedBatchOptions& batches, const CsrView& graph,
                         const NegativeLinkOptions& negatives)
    : list_(std::move(list)),
      options_(negatives),
      negatives_(graph, negatives),
      seed_(batches.seed),
      order_(list_.links.size(), batches) {
  assert(list_.times.empty() || list_.times.size() == list_.links.size());
  assert(!list_.two_types || (list_.times.empty() && !negatives.both_ends));
}

std::uint64_t LinkBatches::max_seeds(std::uint32_t batch_size,
                                     const NegativeLinkOptions& negatives) {
  const std::uint64_t drawn = std::uint64_t{negatives.per_link} * (negatives.both_ends ? 2 : 1);
  return batch_size * (2 + drawn);
}

bool LinkBatches::next(LinkBatch& batch) {
  if (!order_.next()) return false;
  batch.seeds.epoch = order_.epoch();
  batch.seeds.number = order_.number();
  batch.seeds.times.clear();
  batch.positives.clear();
  const Rng directions(seed_, hash_combine(kDirections, order_.epoch()));
  for (std::uint32_t i = 0; i < order_.size(); ++i) {
    const std::uint32_t item = order_.item(i);
    Link link = list_.links[item];
    if (list_.either_way && directions.at(item) >> 63 != 0) std::swap(link.source, link.target);
    batch.positives.push_back(link);
    if (!list_.times.empty()) batch.seeds.times.push_back(list_.times[item]);
  }
  return true;
}

void LinkBatches::complete(LinkBatch& batch) const {
  const auto n = static_cast<std::uint32_t>(batch.positives.size());
  std::vector<NodeId>& nodes = batch.seeds.nodes;
  std::vector<NodeId>& to = list_.two_types ? batch.target_nodes : nodes;
  nodes.clear();
  batch.target_nodes.clear();
  batch.sources.clear();
  batch.targets.clear();
  for (const Link& link : batch.positives) nodes.push_back(link.source);
  const auto first_target = list_.two_types ? 0 : n;
  for (const Link& link : batch.positives) to.push_back(link.target);
  for (std::uint32_t i = 0; i < n; ++i) {
    batch.sources.push_back(i);
    batch.targets.push_back(first_target + i);
  }
  std::vector<double>& times = batch.seeds.times;
  for (std::uint32_t i = 0; i < n && !times.empty(); ++i) times.push_back(times[i]);
  add_negatives(batch);
}

void LinkBatches::add_negatives(LinkBatch& batch) const {
  SeedBatches::Seeds& seeds = batch.seeds;
  std::vector<NodeId>& nodes = list_.two_types ? batch.target_nodes : seeds.nodes;
  const auto add = [&](NodeId node, std::size_t positive) {
    nodes.push_back(node);
    if (!seeds.times.empty()) seeds.times.push_back(seeds.times[positive]);
    return static_cast<std::uint32_t>(nodes.size() - 1);
  };
  for (std::size_t i = 0; i < batch.positives.size(); ++i) {
    Rng rng(seed_, hash_combine(kNegatives, seeds.number), std::uint64_t{i} << 32);
    for (std::uint32_t k = 0; k < options_.per_link; ++k) {
      const Link link = negatives_.draw(batch.positives[i], rng);
      batch.targets.push_back(add(link.target, i));
      // The source of the positive has a neighbourhood already.
      batch.sources.push_back(options_.both_ends ? add(link.source, i)
                                                 : static_cast<std::uint32_t>(i));
    }
  }
}

}  // namespace frugal::gnn
