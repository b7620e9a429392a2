#include "tools/gnn-sample/sampler/random_walk.h"

#include <algorithm>
#include <cassert>

#include "libcore/base/hash.h"
#include "libcore/base/rng.h"

namespace frugal::gnn {
namespace {

/// Walks that wait for memory together (ThunderRW: Sun et al., VLDB 2021, interleaves steps so).
constexpr std::size_t kWalksAtOnce = 64;
/// Proposals that are refused, which take as many as p or q is large where no other edges are,
/// before the weights of the whole row are computed. p and q from 1/4 to 4 come here once in 10^8.
constexpr std::uint32_t kMostProposals = 64;

}  // namespace

struct RandomWalks::Walker {
  Rng rng{0};
  NodeId start = 0, at = 0;
  NodeId from = kNoNode;  ///< where the last step began, unless it went back to the start
  EdgeId begin = 0;       ///< of the row of `at`
  std::uint32_t degree = 0;
  double excess = 0;            ///< of the weights of the edges back to `from`
  EdgeId pick = 0;              ///< the edge that is proposed
  bool back = false;            ///< to `from` is proposed instead
  std::uint32_t proposals = 0;  ///< that were refused in this step
  bool restarts = false;
};

RandomWalks::RandomWalks(const CsrView& graph, const WalkOptions& options)
    : graph_(graph),
      options_(options),
      second_order_(options.p != 1 || options.q != 1),
      usual_(std::max(1.0, 1 / options.q)),
      excess_(std::max(0.0, 1 / options.p - usual_)) {
  assert(options.p > 0 && options.q > 0 && options.restart >= 0 && options.restart < 1);
}

std::uint64_t RandomWalks::walk(std::span<const NodeId> starts, std::uint64_t key,
                                NodeId* walks) const {
  const std::size_t at_once = options_.interleave ? kWalksAtOnce : 1;
  Walker walkers[kWalksAtOnce];
  std::uint64_t steps = 0;
  for (std::size_t i = 0; i < starts.size(); i += at_once) {
    const auto group = starts.subspan(i, std::min(at_once, starts.size() - i));
    for (std::size_t j = 0; j < group.size(); ++j) {
      walkers[j] = Walker();
      walkers[j].rng = Rng(options_.seed, hash_combine(key, i + j));
      walkers[j].start = walkers[j].at = group[j];
    }
    steps += walk_together(group, walkers, walks + i * (options_.length + std::size_t{1}));
  }
  return steps;
}

/// Until each walker's proposal is accepted.
void RandomWalks::decide(Walker* walkers, std::span<std::uint32_t> undecided) const {
  for (std::size_t left = undecided.size(); left != 0;) {
    std::size_t refused = 0;
    for (std::size_t i = 0; i < left; ++i) {
      if (!choose(walkers[undecided[i]])) undecided[refused++] = undecided[i];
    }
    left = refused;
    for (std::size_t i = 0; i < left; ++i) {
      Walker& walker = walkers[undecided[i]];
      ++walker.proposals == kMostProposals ? draw_by_weights(walker) : propose(walker);
    }
  }
}

/// Every step in stages over all walkers, each of which asks for the memory of the next stage.
std::uint64_t RandomWalks::walk_together(std::span<const NodeId> starts, Walker* walkers,
                                         NodeId* walks) const {
  const std::size_t stride = options_.length + std::size_t{1};
  std::uint32_t active[kWalksAtOnce], undecided[kWalksAtOnce];
  std::size_t num_active = starts.size();
  for (std::uint32_t i = 0; i < num_active; ++i) {
    active[i] = i;
    std::fill_n(walks + i * stride, stride, kNoNode);
    walks[i * stride] = starts[i];
  }
  std::uint64_t steps = 0;
  for (std::size_t s = 1; s < stride; ++s) {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < num_active; ++i) {
      Walker& walker = walkers[active[i]];
      begin_step(walker);
      if (walker.restarts || walker.degree != 0) active[kept++] = active[i];
    }
    num_active = kept;
    for (std::size_t i = 0; i < num_active; ++i) {
      Walker& walker = walkers[active[i]];
      if (walker.restarts) continue;
      const bool weighs = excess_ > 0 && walker.from != kNoNode;
      walker.excess = weighs ? excess_ * count_edges(walker.at, walker.from) : 0;
      propose(walker);
    }
    std::copy_n(active, num_active, undecided);
    decide(walkers, {undecided, num_active});
    for (std::size_t i = 0; i < num_active; ++i)
      walks[active[i] * stride + s] = walkers[active[i]].at;
    steps += num_active;
  }
  return steps;
}

void RandomWalks::begin_step(Walker& walker) const {
  walker.proposals = 0;
  walker.restarts = options_.restart > 0 && walker.rng.uniform() < options_.restart;
  if (walker.restarts) return;
  walker.begin = graph_.offsets[walker.at];
  walker.degree = graph_.degree(walker.at);
  if (second_order_ && options_.interleave) ask_for_row(walker);
}

/// Prefetches the entries of the walker's row that the searches of this step and the next will
/// read.
void RandomWalks::ask_for_row(const Walker& walker) const {
  constexpr std::uint32_t kLine = 16, kShortRow = 8 * kLine;
  const NodeId* row = graph_.neighbors.data() + walker.begin;
  const std::uint32_t step = walker.degree <= kShortRow ? kLine : walker.degree / 8;
  for (std::uint32_t i = 0; i < walker.degree; i += step) __builtin_prefetch(row + i);
}

/// Proposes an edge, each equally likely, or the edge back, with the weight by which it exceeds the
/// others'.
void RandomWalks::propose(Walker& walker) const {
  walker.back = false;
  if (walker.excess > 0) {
    const double usual = usual_ * walker.degree;
    walker.back = walker.rng.uniform() * (usual + walker.excess) >= usual;
  }
  if (walker.back) return;
  walker.pick = walker.begin + walker.rng.below(walker.degree);
  if (options_.interleave) __builtin_prefetch(&graph_.neighbors[walker.pick]);
}

/// Accepts or rejects the proposed edge.
bool RandomWalks::choose(Walker& walker) const {
  NodeId next = walker.start;
  if (!walker.restarts) {
    next = walker.back ? walker.from : graph_.neighbors[walker.pick];
    const bool drawn = walker.back || walker.proposals == kMostProposals;
    if (!drawn && second_order_ && !is_accepted(walker, next)) return false;
  }
  walker.from = walker.restarts ? kNoNode : walker.at;
  walker.at = next;
  if (options_.interleave) __builtin_prefetch(&graph_.offsets[next]);
  return true;
}

bool RandomWalks::is_accepted(Walker& walker, NodeId next) const {
  if (walker.from == kNoNode) return true;
  const double level = walker.rng.uniform() * usual_;
  if (next == walker.from) return level < 1 / options_.p;
  const double other = 1 / options_.q;
  if (level < std::min(1.0, other)) return true;
  // Between the two weights: what decides is whether the node before has that edge, too.
  const bool near = count_edges(walker.from, next) != 0;
  return near == (other < 1);
}

double RandomWalks::weight_of(const Walker& walker, NodeId next) const {
  if (next == walker.from) return 1 / options_.p;
  return count_edges(walker.from, next) != 0 ? 1 : 1 / options_.q;
}

/// Picks an edge of the row, each by its weight.
void RandomWalks::draw_by_weights(Walker& walker) const {
  const auto row = graph_.row(walker.at);
  double sum = 0;
  for (const NodeId next : row) sum += weight_of(walker, next);
  double left = walker.rng.uniform() * sum;
  std::size_t i = 0;
  while (i + 1 < row.size() && (left -= weight_of(walker, row[i])) >= 0) ++i;
  walker.back = false;
  walker.pick = walker.begin + i;
}

std::uint32_t RandomWalks::count_edges(NodeId target, NodeId source) const {
  const auto row = graph_.row(target);
  if (!options_.sources_ascend) {
    return static_cast<std::uint32_t>(std::count(row.begin(), row.end(), source));
  }
  auto at = std::lower_bound(row.begin(), row.end(), source);
  std::uint32_t count = 0;
  for (; at != row.end() && *at == source; ++at) ++count;
  return count;
}

}  // namespace frugal::gnn
