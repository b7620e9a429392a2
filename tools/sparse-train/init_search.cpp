#include "tools/sparse-train/init_search.h"

#include "libcore/base/rng.h"
#include "libcore/base/text.h"
#include "libcore/system/limits.h"
#include "libcore/system/signals.h"
#include "tools/sparse-train/data/dataset_part.h"
#include "tools/sparse-train/training_setup.h"

namespace frugal::sparse {
namespace {

constexpr double kShares[] = {1, 0.2, 0.04, 0.008};
constexpr std::size_t kMostExamples = 20000;
constexpr std::size_t kFewestExtended = 100;
constexpr double kHeldOutShare = 0.2;
constexpr std::uint64_t kSearchStream = 0x74;

struct Parts {
  Dataset trained, held_out;
};

Parts split_examples(const Dataset& data, std::uint64_t seed) {
  std::vector<std::uint32_t> trained, held_out;
  const double wanted = static_cast<double>(kMostExamples) / static_cast<double>(data.size());
  for (std::uint32_t i = 0; i < data.size(); ++i) {
    Rng rng(seed, kSearchStream, i);
    if (rng.uniform() >= wanted) continue;
    (rng.uniform() < kHeldOutShare ? held_out : trained).push_back(i);
  }
  return {part_of(data, trained), part_of(data, held_out)};
}

/// Which of a plan's numbers the user left to the data.
struct FreeSteps {
  bool tree_cost = false;
  bool learning_rate = false;
};

FreeSteps free_steps(const TrainSettings& s, const Plan& plan) {
  return {plan.tree && s.tree_cost <= 0,
          plan.network && s.learning_rate <= 0 && !s.find_learning_rate};
}

void scale_steps(double share, const FreeSteps& free, Plan& plan) {
  if (free.tree_cost) plan.forest.nodes.known_cost *= share;
  if (free.learning_rate) plan.learning_rate *= share;
}

bool fits(const Plan& plan, const Dataset& data) {
  const std::uint64_t left = memory_available();
  return !plan.network || left == 0 ||
         Network::num_bytes(network_shape(plan, data), plan.optimizer) <= left / 3;
}

}  // namespace

void weigh_steps_by_data(const TrainOptions& options, const QuickStart& start, const Dataset& data,
                         Plan& plan) {
  const FreeSteps free = free_steps(options.settings, plan);
  if (data.size() < kFewestExtended || !(free.tree_cost || free.learning_rate) || !fits(plan, data))
    return;
  const Parts parts = split_examples(data, options.seed);
  if (parts.trained.labels.size() == 0 || parts.held_out.labels.size() == 0) return;
  double best = -1, chosen = 1;
  for (const double share : kShares) {
    Plan scaled = plan;
    scale_steps(share, free, scaled);
    const QuickModel model = train_quickly(scaled, parts.trained, options.seed, options.precision,
                                           stop_requested, start);
    if (stop_requested()) return;
    const double score =
        evaluate(*model.scorer(kEvaluatedRanks), parts.held_out, model.label_counts).ndcg[2];
    if (score <= best) break;
    best = score;
    chosen = share;
  }
  scale_steps(chosen, free, plan);
  plan.reasons.push_back("steps of " + format_number(100 * chosen, 3) +
                         " % of that: best of 100, 20, 4 and 0.8 % on " +
                         std::to_string(parts.held_out.size()) + " held-out examples");
}

}  // namespace frugal::sparse
