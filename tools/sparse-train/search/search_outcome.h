#pragma once
#include <memory>
#include <optional>
#include <string>

#include "libcore/tensors/tensor_file.h"
#include "tools/sparse-train/search/text_search.h"

namespace frugal::sparse {

/// Result of a training run's search: a choice, or the reason why there is none, or neither if
/// there was nothing to choose.
struct SearchOutcome {
  std::shared_ptr<const TextChoice> choice;
  std::string skipped;
  std::shared_ptr<const TrialModel> trained;  ///< TextChoice::trained, if this process searched
};

/// Searches, or takes the choice of the run that options.resume continues: with another time budget
/// the choice could differ, and no checkpoint would fit. Applies the choice to the options.
SearchOutcome settle_text(TrainOptions& options, const TextSearchObserver& observer);

/// Adds the outcome to a checkpoint's metadata.
void store_search(const SearchOutcome& outcome, Metadata& metadata);

/// Reads the outcome in the checkpoint at a path or, failing that, the one before it; nothing if
/// neither has one. Fails (bad_input) if it is damaged.
std::optional<SearchOutcome> stored_search(const std::string& checkpoint);

}  // namespace frugal::sparse
