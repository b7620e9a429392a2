#include "tools/sparse-train/rate_search.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "libcore/base/error.h"
#include "libcore/base/log.h"
#include "libcore/base/text.h"
#include "libcore/system/signals.h"
#include "tools/sparse-train/data/dataset_part.h"
#include "tools/sparse-train/evaluation.h"
#include "tools/sparse-train/quick_training.h"

namespace frugal::sparse {
namespace {

constexpr std::size_t kMostValidated = 2000;       ///< examples
constexpr std::size_t kMostTrialExamples = 50000;  ///< examples of a trial's training
constexpr std::size_t kFewestSteps = 200;          ///< of a trial

/// Examples [begin, end) of data.
Dataset slice(const Dataset& data, std::size_t begin, std::size_t end) {
  std::vector<std::uint32_t> examples(end - begin);
  std::iota(examples.begin(), examples.end(), static_cast<std::uint32_t>(begin));
  return part_of(data, examples);
}

/// nDCG@5 on `held_out` after a training on `data`; 0 where it came to numbers that are not finite.
double trial(const Plan& plan, const Dataset& data, const Dataset& held_out, std::uint64_t seed,
             Precision precision) {
  try {
    const QuickModel model = train_quickly(plan, data, seed, precision, stop_requested);
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
  const Dataset part = slice(data, 0, trained);
  const Dataset held_out = slice(data, data.size() - held, data.size());
  Plan short_plan = plan;
  short_plan.tree = false;
  const std::size_t steps = (trained + plan.batch_size - 1) / plan.batch_size;
  short_plan.epochs = static_cast<int>(std::min<std::size_t>(static_cast<std::size_t>(plan.epochs),
                                                             (kFewestSteps + steps - 1) / steps));
  return climb_to_rate(plan.learning_rate, [&](double rate) {
    short_plan.learning_rate = rate;
    const double score = trial(short_plan, part, held_out, seed, precision);
    log_verbose("learning rate ", format_number(rate), ": nDCG@5 ", format_number(100 * score, 4),
                " % after ", short_plan.epochs, " epochs of ", trained, " examples");
    return score;
  });
}

}  // namespace frugal::sparse
