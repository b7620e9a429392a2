#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "tools/gnn-sample/sampler/alias_tables.h"
#include "tools/gnn-sample/sampler/fanouts.h"
#include "tools/gnn-sample/sampler/neighbor_draw.h"

namespace frugal::gnn {
namespace {

/// Draws from the alias tables, of an edge that is there already too, before the rest of a row is
/// looked at as a whole.
constexpr std::uint32_t kTriesPerEdge = 4;
/// Up to here what was drawn is searched for what is drawn again.
constexpr std::uint32_t kSearchedDraws = 256;

class WeightedDraw : public NeighborDraw {
 public:
  WeightedDraw(const WeightedEdges& edges, bool replace) : edges_(edges), replace_(replace) {}

  std::uint64_t at_most(std::uint32_t size, std::uint32_t fanout) const override {
    return replace_ && fanout != kAllNeighbors && size != 0 ? fanout : std::min(size, fanout);
  }

  std::size_t draw(const DrawTargets& targets, std::uint32_t* taken, EdgeId* picks) override {
    EdgeId* end = picks;
    for (std::size_t i = 0; i < targets.nodes.size(); ++i) {
      Rng rng(targets.key, targets.first + i);
      EdgeId* begin = end;
      const std::uint32_t drawable = edges_.alias->num_drawable(targets.nodes[i], targets.size[i]);
      end = draw_row({targets.begin[i], targets.size[i], drawable}, targets.fanout, rng, end);
      taken[i] = static_cast<std::uint32_t>(end - begin);
      if (!targets.prefetch) continue;
      for (const EdgeId* p = begin; p != end; ++p) __builtin_prefetch(&edges_.sources[*p]);
    }
    return static_cast<std::size_t>(end - picks);
  }

 private:
  float weight(EdgeId edge) const { return edges_.weights[edge]; }

  struct Row {
    EdgeId begin;
    std::uint32_t size;
    std::uint32_t drawable;  ///< edges of a weight above 0
  };

  EdgeId* draw_row(const Row& row, std::uint32_t fanout, Rng& rng, EdgeId* picks) {
    if (row.drawable == 0) return picks;
    if (fanout == kAllNeighbors || (!replace_ && row.drawable <= fanout)) {
      for (EdgeId e = row.begin; e < row.begin + row.size; ++e) {
        if (weight(e) > 0) *picks++ = e;
      }
      return picks;
    }
    if (!replace_) return draw_different(row, fanout, rng, picks);
    for (std::uint32_t j = 0; j < fanout; ++j) {
      *picks++ = edges_.alias->draw(row.begin, row.size, rng);
    }
    return picks;
  }

  /// One edge after the other, each by its weight among those that are left. What was drawn before
  /// is drawn again; how often that happens does not depend on which edge comes next, so the rest
  /// may be drawn in another way after any number of tries.
  EdgeId* draw_different(const Row& row, std::uint32_t fanout, Rng& rng, EdgeId* picks) {
    EdgeId* end = picks;
    std::uint32_t tries = fanout <= kSearchedDraws ? kTriesPerEdge * fanout : 0;
    for (; tries > 0 && end < picks + fanout; --tries) {
      const EdgeId edge = edges_.alias->draw(row.begin, row.size, rng);
      if (std::find(picks, end, edge) == end) *end++ = edge;
    }
    if (end < picks + fanout) draw_rest(row, rng, {picks, end}, picks + fanout);
    return picks + fanout;
  }

  /// The edges whose exponential clocks of rate `weight` ring first (Efraimidis, Spirakis, IPL
  /// 2006), up to `end`.
  void draw_rest(const Row& row, Rng& rng, std::pair<EdgeId*, EdgeId*> picked, const EdgeId* end) {
    clocks_.clear();
    for (EdgeId e = row.begin; e < row.begin + row.size; ++e) {
      const double u = 1 - rng.uniform();
      if (weight(e) <= 0 || std::find(picked.first, picked.second, e) != picked.second) continue;
      clocks_.emplace_back(-std::log(u) / weight(e), e);
    }
    const std::ptrdiff_t missing = end - picked.second;
    std::partial_sort(clocks_.begin(), clocks_.begin() + missing, clocks_.end());
    for (std::ptrdiff_t j = 0; j < missing; ++j) {
      picked.second[j] = clocks_[static_cast<std::size_t>(j)].second;
    }
  }

  WeightedEdges edges_;
  bool replace_;
  std::vector<std::pair<double, EdgeId>> clocks_;
};

}  // namespace

std::unique_ptr<NeighborDraw> weighted_draw(const WeightedEdges& edges, bool replace) {
  return std::make_unique<WeightedDraw>(edges, replace);
}

}  // namespace frugal::gnn
