#include "tools/gnn-sample/sampler/draw_shares.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "libcore/base/text.h"
#include "libcore/threading/parallel.h"

namespace frugal::gnn {
namespace {

constexpr std::size_t kNodesAtATime = 256;

/// The time t at which sum(1 - exp(-w t)) is `drawn`, which is below the number of weights above 0.
/// Newton's method from below: the sum is concave, so each step stays below the solution.
double time_of_draws(std::span<const float> weights, double drawn) {
  constexpr int kMostSteps = 100;
  constexpr double kTolerance = 1e-7;
  double t = drawn / std::accumulate(weights.begin(), weights.end(), 0.0);
  for (int step = 0; step < kMostSteps; ++step) {
    double missing = drawn, slope = 0;
    for (const float w : weights) {
      missing += std::expm1(-static_cast<double>(w) * t);
      slope += static_cast<double>(w) * std::exp(-static_cast<double>(w) * t);
    }
    if (missing <= kTolerance * drawn || slope <= 0) break;
    t += missing / slope;
  }
  return t;
}

/// Sets the probabilities of the edges of a row.
void set_probabilities(std::span<const float> weights, const WeightedDraws& draws,
                       std::span<float> to) {
  const auto drawable = static_cast<std::size_t>(
      std::count_if(weights.begin(), weights.end(), [](float w) { return w > 0; }));
  const bool all = draws.fanout == kAllNeighbors || (!draws.repeats && drawable <= draws.fanout);
  if (all) {
    std::transform(weights.begin(), weights.end(), to.begin(),
                   [](float w) { return w > 0 ? 1.0F : 0.0F; });
  } else if (draws.repeats || draws.fanout == 1) {
    std::copy(weights.begin(), weights.end(), to.begin());
  } else {
    const double t = time_of_draws(weights, draws.fanout);
    std::transform(weights.begin(), weights.end(), to.begin(), [&](float w) {
      return static_cast<float>(-std::expm1(-static_cast<double>(w) * t));
    });
  }
}

/// Scales weights with which one edge after another is drawn to the expected numbers of draws. The
/// other probabilities are these already.
void set_expected_draws(std::span<const float> weights, const WeightedDraws& draws,
                        std::span<float> shares) {
  if (draws.fanout == kAllNeighbors || (!draws.repeats && draws.fanout != 1)) return;
  const auto drawable =
      std::count_if(weights.begin(), weights.end(), [](float w) { return w > 0; });
  if (!draws.repeats && drawable <= 1) return;
  const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  for (float& share : shares) {
    share = sum > 0 ? static_cast<float>(static_cast<double>(share) * draws.fanout / sum) : 0;
  }
}

}  // namespace

std::vector<float> draw_shares(const CsrView& graph, std::span<const float> weights,
                               const WeightedDraws& draws) {
  std::vector<float> shares(weights.size());
  parallel_for(graph.num_nodes(), kNodesAtATime, [&](std::size_t v) {
    const EdgeId first = graph.offsets[v];
    const auto row = graph.row(static_cast<NodeId>(v));
    const std::span<float> own(shares.data() + first, row.size());
    set_probabilities(weights.subspan(first, row.size()), draws, own);
    if (draws.sums) return set_expected_draws(weights.subspan(first, row.size()), draws, own);
    double sum = 0, count = 0;
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (draws.of_degree ? row[i] == v : own[i] == 0) continue;
      sum += static_cast<double>(own[i]);
      ++count;
    }
    for (float& share : own) {
      share = sum > 0 ? static_cast<float>(static_cast<double>(share) * count / sum) : 0;
    }
  });
  return shares;
}

std::string fanouts_of_relations_text(const std::vector<Fanouts>& fanouts) {
  std::string text;
  for (const Fanouts& of_relation : fanouts) {
    text += (text.empty() ? "" : " ") + fanouts_text(of_relation);
  }
  return text;
}

std::optional<std::vector<Fanouts>> parse_fanouts_of_relations(const std::string& text) {
  std::vector<Fanouts> all;
  for (const std::string_view relation : split(text, ' ')) {
    Fanouts& fanouts = all.emplace_back();
    for (const std::string_view part : split(relation, ',')) {
      const auto value = parse_number<std::int64_t>(part);
      if (!value || *value == 0 || *value < -1 || *value >= kAllNeighbors) return std::nullopt;
      fanouts.push_back(*value < 0 ? kAllNeighbors : static_cast<std::uint32_t>(*value));
    }
  }
  return all;
}

}  // namespace frugal::gnn
