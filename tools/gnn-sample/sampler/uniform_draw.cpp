#include <algorithm>

#include "libcore/base/rng.h"
#include "libcore/kernels/kernels.h"
#include "tools/gnn-sample/sampler/fanouts.h"
#include "tools/gnn-sample/sampler/neighbor_draw.h"

namespace frugal::gnn {
namespace {

ListDraws list_draws(const CsrView& graph, const DrawTargets& targets, std::uint32_t* taken,
                     EdgeId* picks) {
  ListDraws draws;
  draws.begin = targets.begin;
  draws.size = targets.size;
  draws.count = targets.nodes.size();
  draws.k = targets.fanout;
  draws.key = targets.key;
  draws.first = targets.first;
  draws.entries = targets.prefetch ? graph.neighbors.data() : nullptr;
  draws.taken = taken;
  draws.picks = picks;
  return draws;
}

class UniformDraw : public NeighborDraw {
 public:
  explicit UniformDraw(const CsrView& graph) : graph_(graph) {}
  std::uint64_t at_most(std::uint32_t size, std::uint32_t fanout) const override {
    return std::min(size, fanout);
  }
  std::size_t draw(const DrawTargets& targets, std::uint32_t* taken, EdgeId* picks) override {
    return kernels().draw_distinct(list_draws(graph_, targets, taken, picks));
  }

 private:
  CsrView graph_;
};

class RepeatedDraw : public NeighborDraw {
 public:
  explicit RepeatedDraw(const CsrView& graph) : graph_(graph), all_(graph) {}
  std::uint64_t at_most(std::uint32_t size, std::uint32_t fanout) const override {
    if (fanout == kAllNeighbors) return size;
    return size == 0 ? 0 : fanout;
  }
  std::size_t draw(const DrawTargets& targets, std::uint32_t* taken, EdgeId* picks) override {
    if (targets.fanout == kAllNeighbors) return all_.draw(targets, taken, picks);
    return kernels().draw_repeated(list_draws(graph_, targets, taken, picks));
  }

 private:
  CsrView graph_;
  UniformDraw all_;
};

class LastDraw : public NeighborDraw {
 public:
  std::uint64_t at_most(std::uint32_t size, std::uint32_t fanout) const override {
    return std::min(size, fanout);
  }
  std::size_t draw(const DrawTargets& targets, std::uint32_t* taken, EdgeId* picks) override {
    std::size_t n = 0;
    for (std::size_t i = 0; i < targets.nodes.size(); ++i) {
      taken[i] = std::min(targets.size[i], targets.fanout);
      const EdgeId end = targets.begin[i] + targets.size[i];
      for (EdgeId e = end - taken[i]; e < end; ++e) picks[n++] = e;
    }
    return n;
  }
};

class WindowDraw : public NeighborDraw {
 public:
  std::uint64_t at_most(std::uint32_t size, std::uint32_t fanout) const override {
    return std::min(size, fanout);
  }
  std::size_t draw(const DrawTargets& targets, std::uint32_t* taken, EdgeId* picks) override {
    constexpr std::uint32_t kLine = 16;
    std::size_t n = 0;
    for (std::size_t i = 0; i < targets.nodes.size(); ++i) {
      const std::uint32_t size = targets.size[i];
      const EdgeId begin = targets.begin[i], end = begin + size;
      taken[i] = std::min(size, targets.fanout);
      EdgeId at = begin;
      if (size > targets.fanout) at += Rng(targets.key, targets.first + i).below(size);
      for (std::uint32_t j = 0; j < taken[i]; ++j) {
        if (targets.prefetch && (j % kLine == 0 || j + 1 == taken[i])) {
          __builtin_prefetch(targets.sources + at);
        }
        picks[n++] = at;
        if (++at == end) at = begin;
      }
    }
    return n;
  }
};

}  // namespace

std::unique_ptr<NeighborDraw> uniform_draw(const CsrView& graph) {
  return std::make_unique<UniformDraw>(graph);
}
std::unique_ptr<NeighborDraw> repeated_draw(const CsrView& graph) {
  return std::make_unique<RepeatedDraw>(graph);
}
std::unique_ptr<NeighborDraw> window_draw() { return std::make_unique<WindowDraw>(); }
std::unique_ptr<NeighborDraw> last_draw() { return std::make_unique<LastDraw>(); }

}  // namespace frugal::gnn
