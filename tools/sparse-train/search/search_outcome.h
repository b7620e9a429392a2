#pragma once
#include <memory>
#include <optional>
#include <string>

#include "libcore/tensors/tensor_file.h"
#include "tools/sparse-train/search/text_search.h"

namespace frugal::sparse {

/// What the search of a training run came to: a choice, or why there is none, or neither, where
/// there was nothing to choose.
struct SearchOutcome {
  std::shared_ptr<const TextChoice> choice;
  std::string skipped;
  std::shared_ptr<const TrialModel> trained;  ///< TextChoice::trained of a search of this process
};

/// Searches, or takes what the run that options.resume goes on from had found: with another time
/// budget it may choose otherwise, and then no checkpoint fits. Puts the choice into the options.
SearchOutcome settle_text(TrainOptions& options, const TextSearchObserver& observer);

/// Adds it to what a checkpoint has.
void store_search(const SearchOutcome& outcome, Metadata& metadata);

/// What the checkpoint at a path has, or the one before it; nothing where neither can be read or
/// has any. Fails (bad_input) where it is damaged.
std::optional<SearchOutcome> stored_search(const std::string& checkpoint);

}  // namespace frugal::sparse
