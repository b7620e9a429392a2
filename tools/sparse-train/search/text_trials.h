#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tools/sparse-train/search/text_choice.h"
#include "tools/sparse-train/search/trial_log.h"
#include "tools/sparse-train/text/folds.h"

namespace frugal::sparse {

/// A candidate as it is tried: whether it was right, example after example of its folds.
struct Runner {
  TextTrial trial;
  std::vector<std::uint8_t> hits;
  std::vector<std::uint8_t> pruned_hits;  ///< the same without small weights
  std::uint64_t folds = 0;
  bool told = false;
  std::shared_ptr<const TrialModel> trained;  ///< null: not kept
};

/// How many standard errors a is ahead of b on the examples that both were scored on.
double lead(const Runner& a, const Runner& b);

/// The score of what runner.hits says.
void take_score(Runner& runner);

/// Adds the runner's next fold.
void take_fold(const FoldResult& result, Runner& runner);

/// Weights closer to 0 are dropped where this is at most so many standard errors behind: a smaller
/// model.
inline constexpr double kPrune = 0.1;
inline constexpr double kPruneBehind = 1;

/// The runner's trial without small weights, or null without a trial.
std::shared_ptr<const TrialModel> pruned_trial(const Runner& runner);

/// Trains candidates on folds of a sample and scores them on what these hold out. Parsed text and
/// the last fold are kept: candidates often differ in other things alone.
class TextTrials {
 public:
  /// stop: asked often. All must outlive the object.
  TextTrials(const TrainOptions& options, const TextSample& sample, std::function<bool()> stop)
      : options_(options), open_(open_settings(options)), sample_(sample), stop_(std::move(stop)) {}

  /// The examples with the numbers of their n-grams, parsed once for each kind of these.
  const Dataset& counts(const TextCandidate& candidate);
  /// How many folds are affordable: one for much text of many labels.
  std::uint64_t choose_folds(const Dataset& data) const;
  /// Whether decisions can be made of a trial instead of a training of their own.
  bool wants_trial(const Dataset& data) const;

  /// Whether hits on the next fold, by a network after a share of the first half of its epochs, are
  /// far behind.
  using Hopeless = std::function<bool(const std::vector<std::uint8_t>& hits, double share)>;
  /// Trains and scores on the runner's next fold, keeps the first trial where asked; nothing where
  /// `stop` said so before the end.
  std::optional<FoldResult> run_fold(Runner& runner, bool keeps_trial, const Hopeless& hopeless);

 private:
  const Fold& fold_of(const TextCandidate& candidate, std::uint64_t number);
  Plan plan_of(const TextCandidate& candidate, const Dataset& data) const;
  bool fits(const Plan& plan, const Dataset& data) const;

  const TrainOptions& options_;
  OpenSettings open_;
  const TextSample& sample_;
  std::function<bool()> stop_;
  std::map<std::pair<int, std::string>, Dataset> counts_;  ///< by n-grams
  Fold fold_;
  std::string fold_key_;
};

}  // namespace frugal::sparse
