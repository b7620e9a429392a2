#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "tools/sparse-train/search/text_choice.h"
#include "tools/sparse-train/text/featurizer.h"

namespace frugal::sparse {

/// What a search is told and tells. Functions may be empty.
struct TextSearchObserver {
  std::function<bool()> stop;  ///< asked often; true: the search ends with what it knows
  std::function<void(const TextTrial&)> tried;
};

/// Chooses what the options leave open for text: n-grams, --min-count, linear classifiers or a
/// network, their cost and pruning. Candidates race through folds of the training data (Maron and
/// Moore, "Hoeffding races", NIPS 1993): after each, those leave that are clearly behind the
/// leader. Then single settings of the leader change. Large data are sampled, and have one fold;
/// the result is a function of data, options and seed. Nothing where there is nothing to choose:
/// features that are no text, few examples, a pipe.
std::optional<TextChoice> search_text(const TrainOptions& options,
                                      const TextSearchObserver& observer);

/// Trains the candidate on its first fold again, to the bits of TextChoice::trained: for a run that
/// goes on. Null where `stop` said so before the end. options: as search_text() was given them.
std::shared_ptr<const TrialModel> train_again(const TrainOptions& options,
                                              const TextCandidate& candidate,
                                              const std::function<bool()>& stop);

/// Why a search of text chose nothing; "" where there was nothing to choose, or another reason.
/// options: as search_text() was given them.
std::string search_skipped(const TrainOptions& options, const Featurizer& featurizer,
                           std::uint64_t examples, bool out_of_time);

}  // namespace frugal::sparse
