#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "tools/sparse-train/scoring/evaluation.h"
#include "tools/sparse-train/search/text_candidate.h"

namespace frugal::sparse {

struct TuneOptions {
  TrainOptions train;           ///< what all trials share; its data, validation and seed
  std::string output;           ///< for the best configuration
  double budget_seconds = 120;  ///< CPU time of all threads
  double held_out = 0.1;        ///< share of the examples, where there is no validation data
  std::string metric = "p_at_1";
  int trials = 0;  ///< configurations to try; 0 = as many as the budget allows
};

/// One training with some configuration on a part of the data.
struct Trial {
  int configuration = 0;  ///< 0 is the planner's own
  int rung = 0;           ///< trained on a ninth, a third or all of the examples
  Settings settings;
  double score = 0;  ///< on the held-out examples
  double cpu_seconds = 0;
};

struct TuneResult {
  std::vector<Trial> trials;  ///< in the order of time
  std::size_t best = 0;       ///< highest rung first, then score
  bool stopped = false;       ///< by a signal
};

/// The value of a metric: p_at_1, p_at_5, micro_f1, macro_f1 or psp_at_1; fails (usage) for another
/// name.
double metric_of(const Evaluation& evaluation, const std::string& metric);

/// Successive halving (Jamieson and Talwalkar, "Non-stochastic best arm identification and
/// hyperparameter optimization", AISTATS 2016): the planner's configuration and random ones are
/// trained on a ninth of the examples; the best third of them on a third, the best third of these
/// on all; a third of the CPU time goes to each. Configurations are drawn some at a time, and the
/// cheapest of these are tried first. Which come is a function of the seed; how many, of the time.
/// With several labels an example, F1 is that of fitted thresholds. A signal ends the search with
/// what is known. told: after each trial.
TuneResult tune(const TuneOptions& options, const std::function<void(const Trial&)>& told);

/// `config`, what --print-config prints for tune, as a file for train: without what is tune's own,
/// with the settings put in.
std::string tuned_config(const std::string& config, const Settings& settings);

}  // namespace frugal::sparse
