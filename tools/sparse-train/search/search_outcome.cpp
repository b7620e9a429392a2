#include "tools/sparse-train/search/search_outcome.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "libcore/base/error.h"
#include "libcore/base/log.h"
#include "libcore/streams/json_text.h"
#include "libcore/system/output_links.h"
#include "tools/sparse-train/search/text_report.h"

namespace frugal::sparse {
namespace {

using Json = nlohmann::ordered_json;

/// fewest held-out examples for which a trial without a correct one is an error
constexpr std::uint64_t kFewestScored = 20;
constexpr const char* kSearchKey = "sparse-train.search";

SearchOutcome outcome_of(const Json& json) {
  SearchOutcome outcome;
  if (json.contains("skipped")) {
    outcome.skipped = json.at("skipped").get<std::string>();
  } else {
    outcome.choice = std::make_shared<TextChoice>(choice_from(json));
  }
  return outcome;
}

/// Fails (bad_input) if no trial was correct a single time.
void check_some_right(const std::string& path, const TextChoice& choice) {
  std::uint64_t most = 0;
  for (const TextTrial& trial : choice.trials) {
    if (trial.score > 0) return;
    most = std::max(most, trial.examples);
  }
  if (most < kFewestScored) return;
  fail(ExitStatus::bad_input, path, ": of ", choice.trials.size(),
       " settings that were tried none had a single one of ", most,
       " held-out examples right: is the label column the right one (--label-column)? --no-search "
       "trains all the same");
}

}  // namespace

SearchOutcome settle_text(TrainOptions& options, const TextSearchObserver& observer) {
  std::optional<SearchOutcome> outcome;
  if (options.resume && options.search) outcome = stored_search(options.checkpoint);
  if (!outcome) {
    outcome.emplace();
    if (std::optional<TextChoice> choice = search_text(options, observer)) {
      outcome->trained = std::move(choice->trained);
      outcome->choice = std::make_shared<TextChoice>(*std::move(choice));
    }
  }
  if (outcome->choice) check_some_right(options.data, *outcome->choice);
  if (outcome->choice)
    apply_candidate(outcome->choice->trials[outcome->choice->best].candidate, options);
  return *outcome;
}

void store_search(const SearchOutcome& outcome, Metadata& metadata) {
  if (outcome.choice) metadata[kSearchKey] = choice_json(*outcome.choice, true).dump();
  if (!outcome.skipped.empty()) metadata[kSearchKey] = Json({{"skipped", outcome.skipped}}).dump();
}

std::optional<SearchOutcome> stored_search(const std::string& checkpoint) {
  for (const std::string& path : {checkpoint, follow_links(checkpoint) + ".prev"}) {
    const Metadata metadata = metadata_of(path);
    const auto found = metadata.find(kSearchKey);
    if (found == metadata.end()) continue;
    try {
      return outcome_of(parse_json<Json>(found->second, ""));
    } catch (const std::exception& error) {
      fail(ExitStatus::bad_input, path, ": the search that it stores is damaged: ", error.what());
    }
  }
  return std::nullopt;
}

}  // namespace frugal::sparse
