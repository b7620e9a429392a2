#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "libcore/kernels/kernels.h"
#include "tools/gnn-sample/sampler/fanouts.h"
#include "tools/gnn-sample/sampler/mini_batch.h"
#include "tools/gnn-sample/sampler/neighbor_draw.h"

namespace frugal::gnn {
namespace {

class LaborDraw : public NeighborDraw {
 public:
  explicit LaborDraw(const CsrView& graph) : graph_(graph) {}

  std::uint64_t at_most(std::uint32_t size, std::uint32_t fanout) const override {
    return std::min(size, fanout);
  }

  std::size_t draw(const DrawTargets& targets, std::uint32_t* taken, EdgeId* picks) override {
    EdgeId* end = picks;
    HashedSelection row;
    row.key = targets.key;
    for (std::size_t i = 0; i < targets.nodes.size(); ++i) {
      row.ids = graph_.neighbors.data() + targets.begin[i];
      row.num_ids = targets.size[i];
      row.num_next = 0;
      if (targets.prefetch && i + kRowsAhead < targets.nodes.size()) {
        row.next = graph_.neighbors.data() + targets.begin[i + kRowsAhead];
        row.num_next = std::min(targets.size[i + kRowsAhead], kIdsAhead);
      }
      taken[i] = std::min(targets.size[i], targets.fanout);
      if (targets.size[i] <= targets.fanout) {
        take_all(row, targets.begin[i], end);
      } else {
        take_lowest(row, targets.begin[i], targets.fanout, end);
      }
      end += taken[i];
    }
    return static_cast<std::size_t>(end - picks);
  }

 private:
  /// A row is prefetched while the second before it is read; of long rows the first 4 KiB.
  static constexpr std::size_t kRowsAhead = 2;
  static constexpr std::uint32_t kIdsAhead = 1024;

  void take_all(HashedSelection& row, EdgeId begin, EdgeId* picks) {
    std::iota(picks, picks + row.num_ids, begin);
    row.num_ids = 0;
    kernels().select_hashed(row, lowest_.data());  // prefetches alone
  }

  /// The k edges whose sources have the lowest numbers of this hop, ascending by these. Numbers
  /// above a bound are passed over. In one row of 41 fewer than k are left, so the bound is
  /// doubled.
  void take_lowest(HashedSelection& row, EdgeId begin, std::uint32_t k, EdgeId* picks) {
    lowest_.make_room(row.num_ids, 0);
    const double mean = k + 2 * std::sqrt(static_cast<double>(k)) + 2;
    double share = mean / static_cast<double>(row.num_ids);
    std::size_t found = 0;
    while (true) {
      row.bound = share >= 1 ? 0xffffffff : static_cast<std::uint32_t>(share * 0x1p32);
      found = kernels().select_hashed(row, lowest_.data());
      if (found >= k || share >= 1) break;
      share *= 2;
    }
    if (k < found && found <= kMaxSortedLowest) {
      kernels().sort_lowest(lowest_.data(), found, k);
    } else {
      std::nth_element(lowest_.data(), lowest_.data() + (k - 1), lowest_.data() + found);
      std::sort(lowest_.data(), lowest_.data() + k);
    }
    for (std::uint32_t j = 0; j < k; ++j) picks[j] = begin + (lowest_.data()[j] & 0xffffffff);
  }

  CsrView graph_;
  GrowingArray<std::uint64_t> lowest_;
};

}  // namespace

std::unique_ptr<NeighborDraw> labor_draw(const CsrView& graph) {
  return std::make_unique<LaborDraw>(graph);
}

}  // namespace frugal::gnn
