#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

#include "libcore/base/rng.h"
#include "libcore/kernels/kernels.h"
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
/// Draws of a row that has too few edges yet, at a time.
constexpr std::uint32_t kMoreTries = 16;

class WeightedDraw : public NeighborDraw {
 public:
  WeightedDraw(const WeightedEdges& edges, bool replace)
      : edges_(edges),
        replace_(replace),
        places_(kTriesAtOnce + kMoreTries),
        coins_(kTriesAtOnce + kMoreTries),
        chosen_(kSearchedDraws + kChosenRoom) {}

  std::uint64_t at_most(std::uint32_t size, std::uint32_t fanout) const override {
    return replace_ && fanout != kAllNeighbors && size != 0 ? fanout : std::min(size, fanout);
  }

  /// All rows begin their draws before the first one reads the table: what is random in them is
  /// asked of the memory at once.
  std::size_t draw(const DrawTargets& targets, std::uint32_t* taken, EdgeId* picks) override {
    EdgeId* end = picks;
    for (std::size_t i = 0; i < targets.nodes.size();) {
      begin_rows(targets, i);
      for (Row& row : rows_) {
        EdgeId* begin = end;
        end = draw_row(row, targets.fanout, end);
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
    std::uint32_t drawable;      ///< edges of a weight above 0
    std::uint64_t seed, stream;  ///< random numbers: Rng(seed, stream)
    std::uint64_t next = 0;      ///< index of the next of them
    AliasTries tries = {};       ///< draws that have begun
  };

  bool takes_all(const Row& row, std::uint32_t fanout) const {
    return fanout == kAllNeighbors || row.drawable == 0 || (!replace_ && row.drawable <= fanout);
  }

  AliasList list(const Row& row) const { return edges_.alias->row(row.begin, row.size); }

  /// Begins draws of a row, with places and coins from `first` on.
  void begin_tries(Row& row, std::size_t first, std::uint32_t count) {
    row.tries = {Rng(row.seed, row.stream).key(), row.next, count, places_.data() + first,
                 coins_.data() + first};
    row.next = kernels().begin_alias_draws(list(row), row.tries);
  }

  /// Begins `fanout` draws of each row from target `i` on, as long as there is room for them.
  void begin_rows(const DrawTargets& targets, std::size_t i) {
    rows_.clear();
    std::size_t begun = 0;
    for (; i < targets.nodes.size(); ++i) {
      const std::uint32_t size = targets.size[i];
      Row row{targets.begin[i], size, edges_.alias->num_drawable(targets.nodes[i], size),
              targets.key, targets.first + i};
      const bool begins =
          !takes_all(row, targets.fanout) && (replace_ || targets.fanout <= kSearchedDraws);
      const std::uint32_t count = begins ? std::min(targets.fanout, kTriesAtOnce) : 0;
      if (begun + count > kTriesAtOnce) return;
      if (begins) begin_tries(row, begun, count);
      begun += count;
      rows_.push_back(row);
    }
  }

  EdgeId* draw_row(Row& row, std::uint32_t fanout, EdgeId* picks) {
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
    return replace_ ? draw_any(row, fanout, picks) : draw_different(row, fanout, picks);
  }

  /// Each edge by its weight, whether it was drawn before or not.
  EdgeId* draw_any(Row& row, std::uint32_t fanout, EdgeId* picks) {
    for (std::uint32_t left = fanout; left > 0;) {
      const auto count = static_cast<std::uint32_t>(row.tries.count);
      for (std::uint32_t j = 0; j < count; ++j) {
        *picks++ = row.begin + alias_entry(list(row), row.tries.places[j], row.tries.coins[j]);
      }
      left -= count;
      if (left > 0) begin_tries(row, 0, std::min(left, kTriesAtOnce));
    }
    return picks;
  }

  /// One edge after the other, each by its weight among those that are left. What was drawn before
  /// is drawn again; how often that happens does not depend on which edge comes next, so the rest
  /// may be drawn in another way after any number of tries.
  EdgeId* draw_different(Row& row, std::uint32_t fanout, EdgeId* picks) {
    std::size_t found = 0;
    std::uint32_t left = fanout <= kSearchedDraws ? kTriesPerEdge * fanout : 0;
    while (left > 0) {
      found = kernels().take_new_entries(list(row), row.tries, chosen_.data(), found, fanout);
      left -= static_cast<std::uint32_t>(row.tries.count);
      if (found == fanout || left == 0) break;
      begin_tries(row, kTriesAtOnce, std::min(left, kMoreTries));
    }
    for (std::size_t j = 0; j < found; ++j) picks[j] = row.begin + chosen_[j];
    if (found < fanout) draw_rest(row, {picks, picks + found}, picks + fanout);
    return picks + fanout;
  }

  /// The edges whose exponential clocks of rate `weight` ring first (Efraimidis, Spirakis, IPL
  /// 2006), up to `end`.
  void draw_rest(const Row& row, std::pair<EdgeId*, EdgeId*> picked, const EdgeId* end) {
    clocks_.clear();
    Rng rng(row.seed, row.stream, row.next);
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
  std::vector<Row> rows_;
  /// Draws that have begun: kTriesAtOnce of several rows, and then kMoreTries of one.
  std::vector<std::uint32_t> places_, coins_;
  std::vector<std::uint32_t> chosen_;  ///< places of a row
};

}  // namespace

std::unique_ptr<NeighborDraw> weighted_draw(const WeightedEdges& edges, bool replace) {
  return std::make_unique<WeightedDraw>(edges, replace);
}

}  // namespace frugal::gnn
