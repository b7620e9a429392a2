#include <algorithm>
#include <cmath>
#include <numeric>
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
/// Draws that are begun before their entries of the table are read.
constexpr std::uint32_t kTriesAtOnce = 1024;

class WeightedDraw : public NeighborDraw {
 public:
  WeightedDraw(const WeightedEdges& edges, bool replace) : edges_(edges), replace_(replace) {}

  std::uint64_t at_most(std::uint32_t size, std::uint32_t fanout) const override {
    return replace_ && fanout != kAllNeighbors && size != 0 ? fanout : std::min(size, fanout);
  }

  /// All rows begin their draws before the first one reads the table: what is random in them is
  /// asked of the memory at once.
  std::size_t draw(const DrawTargets& targets, std::uint32_t* taken, EdgeId* picks) override {
    EdgeId* end = picks;
    for (std::size_t i = 0; i < targets.nodes.size();) {
      begin_rows(targets, i);
      const AliasTables::Try* tries = tries_.data();
      for (const Row& row : rows_) {
        EdgeId* begin = end;
        end = draw_row(row, targets.fanout, tries, end);
        tries += row.tried;
        taken[i++] = static_cast<std::uint32_t>(end - begin);
        if (!targets.prefetch) continue;
        for (const EdgeId* p = begin; p != end; ++p) __builtin_prefetch(&edges_.sources[*p]);
      }
    }
    return static_cast<std::size_t>(end - picks);
  }

 private:
  float weight(EdgeId edge) const { return edges_.weights[edge]; }

  struct Row {
    EdgeId begin;
    std::uint32_t size;
    std::uint32_t drawable;  ///< edges of a weight above 0
    std::uint32_t tried;     ///< draws that have begun
    Rng rng;                 ///< of the draws after these
  };

  bool takes_all(const Row& row, std::uint32_t fanout) const {
    return fanout == kAllNeighbors || row.drawable == 0 || (!replace_ && row.drawable <= fanout);
  }

  /// Begins `fanout` draws of each row from target `i` on, until there are kTriesAtOnce.
  void begin_rows(const DrawTargets& targets, std::size_t i) {
    rows_.clear();
    tries_.clear();
    for (; i < targets.nodes.size() && tries_.size() < kTriesAtOnce; ++i) {
      const std::uint32_t size = targets.size[i];
      Row row{targets.begin[i], size, edges_.alias->num_drawable(targets.nodes[i], size), 0,
              Rng(targets.key, targets.first + i)};
      if (!takes_all(row, targets.fanout) && (replace_ || targets.fanout <= kSearchedDraws)) {
        row.tried = std::min(targets.fanout, kTriesAtOnce);
      }
      for (std::uint32_t j = 0; j < row.tried; ++j) {
        tries_.push_back(edges_.alias->try_draw(row.begin, row.size, row.rng));
      }
      rows_.push_back(row);
    }
  }

  EdgeId* draw_row(Row row, std::uint32_t fanout, const AliasTables::Try* tries, EdgeId* picks) {
    if (row.drawable == row.size && takes_all(row, fanout)) {
      std::iota(picks, picks + row.size, row.begin);
      return picks + row.size;
    }
    if (takes_all(row, fanout)) {
      for (EdgeId e = row.begin; e < row.begin + row.size; ++e) {
        if (weight(e) > 0) *picks++ = e;
      }
      return picks;
    }
    if (!replace_) return draw_different(row, fanout, tries, picks);
    for (std::uint32_t j = 0; j < fanout; ++j) *picks++ = draw_next(row, j, tries);
    return picks;
  }

  /// Draw j of a row, begun already or now.
  EdgeId draw_next(Row& row, std::uint32_t j, const AliasTables::Try* tries) {
    const AliasTables& alias = *edges_.alias;
    return alias.edge_of(row.begin,
                         j < row.tried ? tries[j] : alias.try_draw(row.begin, row.size, row.rng));
  }

  /// One edge after the other, each by its weight among those that are left. What was drawn before
  /// is drawn again; how often that happens does not depend on which edge comes next, so the rest
  /// may be drawn in another way after any number of tries.
  EdgeId* draw_different(Row& row, std::uint32_t fanout, const AliasTables::Try* tries,
                         EdgeId* picks) {
    EdgeId* end = picks;
    const std::uint32_t most = fanout <= kSearchedDraws ? kTriesPerEdge * fanout : 0;
    for (std::uint32_t j = 0; j < most && end < picks + fanout; ++j) {
      const EdgeId edge = draw_next(row, j, tries);
      std::uint64_t known = 0;
      for (const EdgeId* p = picks; p != end; ++p) known |= *p == edge ? 1 : 0;
      *end = edge;
      end += 1 - known;
    }
    if (end < picks + fanout) draw_rest(row, {picks, end}, picks + fanout);
    return picks + fanout;
  }

  /// The edges whose exponential clocks of rate `weight` ring first (Efraimidis, Spirakis, IPL
  /// 2006), up to `end`.
  void draw_rest(Row& row, std::pair<EdgeId*, EdgeId*> picked, const EdgeId* end) {
    clocks_.clear();
    for (EdgeId e = row.begin; e < row.begin + row.size; ++e) {
      const double u = 1 - row.rng.uniform();
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
  std::vector<Row> rows_;
  std::vector<AliasTables::Try> tries_;
};

}  // namespace

std::unique_ptr<NeighborDraw> weighted_draw(const WeightedEdges& edges, bool replace) {
  return std::make_unique<WeightedDraw>(edges, replace);
}

}  // namespace frugal::gnn
