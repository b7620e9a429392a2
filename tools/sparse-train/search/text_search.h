#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "tools/sparse-train/search/text_choice.h"
#include "tools/sparse-train/search/trial_log.h"
#include "tools/sparse-train/text/featurizer.h"

namespace frugal::sparse {

/// Functions that a search calls; they may be empty.
struct TextSearchObserver {
  std::function<bool()> stop;  ///< called often; true ends the search with the best so far
  std::function<void(const TextTrial&)> tried;
  std::function<void()> finished_fold;  ///< called after each training
  TrialLog* log = nullptr;              ///< keeps the folds; may be null
};

/// Chooses the settings for texts and tables that the options leave open: n-grams, --min-count,
/// linear classifiers or a network, their cost and pruning. Candidates race through folds of the
/// training data (Maron and Moore, "Hoeffding races", NIPS 1993): after each fold, candidates that
/// are clearly behind the leader drop out. Then single settings of the leader change. Large data
/// are sampled and have one fold. The result is a function of data, options and seed. Returns
/// nothing if there is nothing to choose: features are ids, a table has many labels, examples are
/// few, or the input is a pipe.
std::optional<TextChoice> search_text(const TrainOptions& options,
                                      const TextSearchObserver& observer);

/// Trains the candidate on its first fold again, with the same result as TextChoice::trained, for a
/// resumed run. Null if `stop` ended it. options: as given to search_text().
std::shared_ptr<const TrialModel> train_again(const TrainOptions& options,
                                              const TextCandidate& candidate,
                                              const std::function<bool()>& stop);

/// Reason why a search of text chose nothing; "" if there was nothing to choose. options: as given
/// to search_text().
std::string search_skipped(const TrainOptions& options, const Featurizer& featurizer,
                           std::uint64_t examples, bool out_of_time);

}  // namespace frugal::sparse
