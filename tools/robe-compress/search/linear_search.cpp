#include "tools/robe-compress/search/linear_search.h"

#include <algorithm>

#include "libcore/base/text.h"
#include "tools/robe-compress/steps/linear_trainer.h"
#include "tools/robe-compress/steps/train_rates.h"

namespace frugal::robe {
namespace {

/// A trial begins with the weights of the one before, which are near its own.
constexpr int kSweeps = 3;
constexpr double kStrengths[] = {16, 4, 1, 0.25};
constexpr int kTrialDigits = 5;

}  // namespace

std::string L2Trial::text() const {
  return "linear model, L2 " + format_number(l2) + ": AUC " +
         format_number(figures.auc.value_or(0), kTrialDigits) + ", log-loss " +
         format_number(figures.log_loss, kTrialDigits);
}

std::vector<L2Trial> search_l2(ClickData& data, HeldBack& held_back, const TrainOptions& options,
                               TrialModel& model, const std::function<bool()>& stop) {
  std::vector<L2Trial> trials;
  TrainerSetup setup = make_setup(options, data.encoder(), std::nullopt);
  std::size_t best = 0;
  for (const double strength : kStrengths) {
    setup.l2 = strength;
    const auto trainer = make_linear_trainer(*model.embedding, *model.network, setup);
    for (int i = 0; i < kSweeps && !stop(); ++i) {
      data.start_epoch(options.seed, 0);
      trainer->run(data, 1, [] { return false; });
    }
    if (stop()) break;
    Grade grade = held_back.grade(*trainer->predictor());
    trials.push_back({strength, learnt_figures(grade.metrics), std::move(grade.answers), false});
    if (trials.back().figures.log_loss < trials[best].figures.log_loss) best = trials.size() - 1;
    if (best + 1 < trials.size()) break;
  }
  if (!trials.empty()) trials[best].chosen = true;
  return trials;
}

}  // namespace frugal::robe
