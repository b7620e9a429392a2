#include "tools/sparse-train/search/rate_search.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <span>
#include <vector>

#include "libcore/base/error.h"
#include "libcore/base/log.h"
#include "libcore/base/rng.h"
#include "libcore/base/text.h"
#include "libcore/system/limits.h"
#include "libcore/system/signals.h"
#include "tools/sparse-train/data/dataset.h"
#include "tools/sparse-train/fit/quick_training.h"
#include "tools/sparse-train/fit/setup.h"
#include "tools/sparse-train/scoring/evaluation.h"

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
  return {plan.has_trees() && s.forest.nodes.solver.cost <= 0,
          plan.has_network() && s.learning_rate <= 0 && !s.find_learning_rate};
}

void scale_steps(double share, const FreeSteps& free, Plan& plan) {
  if (free.tree_cost) plan.forest.nodes.known_cost *= share;
  if (free.learning_rate) plan.learning_rate *= share;
}

bool fits(const Plan& plan, const Dataset& data) {
  const std::uint64_t left = memory_available();
  return !plan.has_network() || left == 0 || network_bytes(plan, data) <= left / 3;
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
    const QuickModel model = train_quickly(
        scaled, parts.trained, {options.seed, options.precision, stop_requested, start});
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

namespace {

constexpr std::size_t kMostValidated = 2000;       ///< examples
constexpr std::size_t kMostTrialExamples = 50000;  ///< examples of a trial's training
constexpr std::size_t kFewestSteps = 200;          ///< of a trial
constexpr std::uint64_t kRateStream = 0x75;

/// Draws both parts at random from all examples: a file may be sorted by label.
Parts draw_examples(const Dataset& data, std::size_t trained, std::size_t held_out,
                    std::uint64_t seed) {
  std::vector<std::uint32_t> order(data.size());
  std::iota(order.begin(), order.end(), 0U);
  shuffle(order.data(), order.size(), Rng(seed, kRateStream));
  const std::span<const std::uint32_t> drawn(order);
  return {part_of(data, drawn.first(trained)), part_of(data, drawn.last(held_out))};
}

/// nDCG@5 on `held_out` after a training on `data`; 0 where it came to numbers that are not finite.
double trial(const Plan& plan, const Dataset& data, const Dataset& held_out, std::uint64_t seed,
             Precision precision) {
  try {
    const QuickModel model = train_quickly(plan, data, {seed, precision, stop_requested});
    return evaluate(*model.scorer(kEvaluatedRanks), held_out, model.label_counts).ndcg[2];
  } catch (const Error& error) {
    if (error.status() != ExitStatus::bad_input) throw;
    return 0;
  }
}

}  // namespace

double climb_to_rate(double start, const std::function<double(double)>& score) {
  std::map<int, double> scores;
  const auto ask = [&](int i) {
    if (!scores.contains(i)) scores[i] = score(std::ldexp(start, i));
    return scores[i];
  };
  int best = 0;
  ask(best);
  while (scores.size() < kMostRateTrials) {
    const int before = best;
    for (const int i : {before - 1, before + 1}) {
      if (ask(i) > scores[best]) best = i;
    }
    if (best == before) break;
  }
  return std::ldexp(start, best);
}

double find_learning_rate(const Plan& plan, const Dataset& data, std::uint64_t seed,
                          Precision precision) {
  const std::size_t held = std::clamp<std::size_t>(data.size() / 10, 1, kMostValidated);
  if (data.size() < 20) return plan.learning_rate;
  const std::size_t trained = std::min(data.size() - held, kMostTrialExamples);
  const Parts parts = draw_examples(data, trained, held, seed);
  Plan short_plan = plan;
  if (plan.has_trees()) short_plan.architecture = output_name(plan.output);
  const std::size_t steps = (trained + plan.batch_size - 1) / plan.batch_size;
  short_plan.epochs = static_cast<int>(std::min<std::size_t>(static_cast<std::size_t>(plan.epochs),
                                                             (kFewestSteps + steps - 1) / steps));
  return climb_to_rate(plan.learning_rate, [&](double rate) {
    short_plan.learning_rate = rate;
    const double score = trial(short_plan, parts.trained, parts.held_out, seed, precision);
    log_verbose("learning rate ", format_number(rate), ": nDCG@5 ", format_number(100 * score, 4),
                " % after ", short_plan.epochs, " epochs of ", trained, " examples");
    return score;
  });
}

}  // namespace frugal::sparse
