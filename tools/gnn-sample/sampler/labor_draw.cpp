#include <algorithm>
#include <cmath>
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
    for (std::size_t i = 0; i < targets.nodes.size(); ++i) {
      if (targets.prefetch && i + kRowsAhead < targets.nodes.size()) {
        ask_for(targets.begin[i + kRowsAhead], targets.size[i + kRowsAhead]);
      }
      taken[i] = std::min(targets.size[i], targets.fanout);
      if (targets.size[i] <= targets.fanout) {
        for (std::uint32_t j = 0; j < taken[i]; ++j) end[j] = targets.begin[i] + j;
      } else {
        take_lowest(targets.begin[i], targets.size[i], targets.fanout, targets.key, end);
      }
      end += taken[i];
    }
    return static_cast<std::size_t>(end - picks);
  }

 private:
  static constexpr std::size_t kRowsAhead = 2;
  static constexpr std::uint32_t kLine = 16;      ///< sources in a line of the cache
  static constexpr std::uint32_t kInserted = 32;  ///< of a longer list, sorting parts is faster

  void ask_for(EdgeId begin, std::uint32_t size) const {
    // The hardware goes on by itself behind the first lines.
    const std::uint32_t lines = std::min(size, 4 * kLine);
    for (std::uint32_t j = 0; j < lines; j += kLine)
      __builtin_prefetch(&graph_.neighbors[begin + j]);
  }

  /// The k edges whose sources have the lowest numbers of this hop, ascending by these. Numbers
  /// above a bound are passed over. In one row of 41 fewer than k are left, so the bound is
  /// doubled.
  void take_lowest(EdgeId begin, std::uint32_t size, std::uint32_t k, std::uint64_t key,
                   EdgeId* picks) {
    lowest_.make_room(size, 0);
    const double mean = k + 2 * std::sqrt(static_cast<double>(k)) + 2;
    double share = mean / size;
    std::size_t found = 0;
    while (true) {
      const std::uint32_t bound =
          share >= 1 ? 0xffffffff : static_cast<std::uint32_t>(share * 0x1p32);
      found = kernels().select_hashed(graph_.neighbors.data() + begin, size, key, bound,
                                      lowest_.data());
      if (found >= k || share >= 1) break;
      share *= 2;
    }
    if (k <= kInserted) {
      insert_lowest(found, k);
    } else {
      std::nth_element(lowest_.data(), lowest_.data() + (k - 1), lowest_.data() + found);
      std::sort(lowest_.data(), lowest_.data() + k);
    }
    for (std::uint32_t j = 0; j < k; ++j) picks[j] = begin + (lowest_.data()[j] & 0xffffffff);
  }

  /// Puts the k lowest of `found` numbers first, ascending: half the time of a partial sort.
  void insert_lowest(std::size_t found, std::uint32_t k) {
    std::uint64_t* const first = lowest_.data();
    for (std::size_t i = 1; i < found; ++i) {
      const std::uint64_t value = first[i];
      std::size_t j = i;
      if (i >= k) {
        if (value >= first[k - 1]) continue;
        j = k - 1;
      }
      for (; j > 0 && first[j - 1] > value; --j) first[j] = first[j - 1];
      first[j] = value;
    }
  }

  CsrView graph_;
  GrowingArray<std::uint64_t> lowest_;
};

}  // namespace

std::unique_ptr<NeighborDraw> labor_draw(const CsrView& graph) {
  return std::make_unique<LaborDraw>(graph);
}

}  // namespace frugal::gnn
