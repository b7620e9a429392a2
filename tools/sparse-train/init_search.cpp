#include "tools/sparse-train/init_search.h"

#include "libcore/base/rng.h"
#include "libcore/system/limits.h"
#include "tools/sparse-train/data/dataset_part.h"
#include "tools/sparse-train/training_setup.h"

namespace frugal {
namespace {

constexpr double kShares[] = {1, 0.2, 0.04};
constexpr std::size_t kMostExamples = 20000;
constexpr std::size_t kFewest = 100;
constexpr double kHeldOut = 0.2;
constexpr std::uint64_t kStream = 0x74;

struct Parts {
  Dataset trained, held_out;
};

Parts split(const Dataset& data, std::uint64_t seed) {
  std::vector<std::uint32_t> trained, held_out;
  const double wanted = static_cast<double>(kMostExamples) / static_cast<double>(data.size());
  for (std::uint32_t i = 0; i < data.size(); ++i) {
    Rng rng(seed, kStream, i);
    if (rng.uniform() >= wanted) continue;
    (rng.uniform() < kHeldOut ? held_out : trained).push_back(i);
  }
  return {part_of(data, trained), part_of(data, held_out)};
}

}  // namespace

void scale_steps(double share, const FreeSteps& free, Plan& plan) {
  if (free.tree_cost) plan.forest.nodes.solver.cost *= share;
  if (free.learning_rate) plan.learning_rate *= share;
}

std::optional<StepChoice> choose_steps(const Plan& plan, const FreeSteps& free,
                                       const QuickStart& start, const Dataset& data,
                                       std::uint64_t seed, Precision precision,
                                       const std::function<bool()>& stop) {
  if (data.size() < kFewest || !(free.tree_cost || free.learning_rate)) return std::nullopt;
  const std::uint64_t left = memory_available();
  if (plan.network && left != 0 &&
      Network::num_bytes(network_shape(plan, data), plan.optimizer) > left / 3) {
    return std::nullopt;
  }
  const Parts parts = split(data, seed);
  if (parts.trained.labels.size() == 0 || parts.held_out.labels.size() == 0) return std::nullopt;
  StepChoice choice;
  choice.held_out = parts.held_out.size();
  double best = -1;
  for (const double share : kShares) {
    Plan scaled = plan;
    scale_steps(share, free, scaled);
    const QuickModel model = train_quickly(scaled, parts.trained, seed, precision, stop, start);
    if (stop()) return std::nullopt;
    const double score =
        evaluate(*model.scorer(kEvaluatedRanks), parts.held_out, model.label_counts).ndcg[2];
    if (score <= best) continue;
    best = score;
    choice.share = share;
  }
  return choice;
}

}  // namespace frugal
