#pragma once
#include <functional>
#include <string>
#include <vector>

#include "tools/robe-compress/search/epoch_search.h"

namespace frugal::robe {

/// A linear model with a strength of its L2 penalty, graded on samples held back.
struct L2Trial {
  double l2 = 0;
  LearntFigures figures;
  Answers answers;  ///< of the samples held back
  bool chosen = false;

  /// "linear model, L2 4: AUC 0.7, log-loss 0.5".
  std::string text() const;
};

/// Trains a linear model on all samples but those held back, with a penalty that falls from trial
/// to trial until they get less likely, or until stop(). The best one is chosen; none: stopped.
/// options: resolved.
std::vector<L2Trial> search_l2(ClickData& data, HeldBack& held_back, const TrainOptions& options,
                               TrialModel& model, const std::function<bool()>& stop);

}  // namespace frugal::robe
