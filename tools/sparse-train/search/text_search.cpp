#include "tools/sparse-train/search/text_search.h"

#include <algorithm>
#include <cmath>

#include "libcore/base/error.h"
#include "libcore/parallel/communicator.h"
#include "tools/sparse-train/data/records.h"
#include "tools/sparse-train/data/tensor_data.h"
#include "tools/sparse-train/search/text_trials.h"

namespace frugal::sparse {
namespace {

/// Fewest examples for a search: with fewer, a fold holds out hardly any. Searching was better than
/// not with 30 examples on 12 of 13 sets, and with 60 to 450 by 2.3 to 2.8 points on average.
constexpr std::uint64_t kFewestExamples = 30;
/// Most bytes of text that a search reads; of more, it takes a sample.
constexpr std::uint64_t kMostBytes = std::uint64_t{8} << 20;
/// Most labels of a table that is searched for: candidates for few labels differ most, and cost
/// least.
constexpr std::uint32_t kMostTableLabels = 100;
/// Number of standard errors behind the leader at which a candidate leaves the race.
constexpr double kBehind = 1.5;
/// Number of standard errors by which a changed setting must be better, and by which other features
/// must be better than pairs of words.
constexpr double kAhead = 1;
/// Number of standard errors behind at which a network is given up after half of its epochs. On no
/// set of texts did the other half make up for this; on tables it did. After a share of that half
/// it is more, by the inverse of the share's square root.
constexpr double kHopeless = 3;
/// A candidate leaves the race if it would have to be this many standard errors luckier in the
/// folds that are left than in those before. After one fold, the chance of that is a tenth.
constexpr double kFutile = 1.28;

/// True if the options leave open a setting that a search chooses.
bool leaves_open(const TrainOptions& options) {
  if (!options.search || !options.init.empty()) return false;
  const OpenSettings open = open_settings(options);
  const bool kinds = open.linear && open.network;
  return open.any_features() || kinds || (open.linear && (open.cost || open.prune));
}

/// Lead at which linear classifiers of a, which comes later in the race, should replace those of b.
/// Pairs of words, the features without a search, replace single words unless they are clearly
/// worse. Characters, which take several times as long, replace words only if they are clearly
/// better.
double lead_to_replace(const TextCandidate& a, const TextCandidate& b) {
  const bool adds_characters = !a.char_ngrams.empty() && b.char_ngrams.empty();
  const bool adds_pairs = a.word_ngrams > b.word_ngrams && !adds_characters;
  return adds_characters ? kAhead : adds_pairs ? -kAhead : 0;
}

bool has_ranks(const TrainOptions& options) {
  return options.ranks != nullptr && options.ranks->size() > 1;
}

/// True if examples are texts or rows of a table, not ids with values.
bool is_searched(const InputLayout& layout) { return layout.has_text() || layout.format->columns; }

bool is_better(const Runner& a, const Runner& b) {
  return lead(a, b) > lead_to_replace(a.trial.candidate, b.trial.candidate);
}

/// True if the runner will hardly replace the best in the folds that are left. If these are like
/// the ones before, its lead grows with the square root of the number of folds. By chance it
/// differs from that, as those before and those left both do.
bool is_futile(const Runner& runner, const Runner& best, std::uint64_t num_folds) {
  const double needed = lead_to_replace(runner.trial.candidate, best.trial.candidate) -
                        lead_to_replace(best.trial.candidate, runner.trial.candidate);
  const auto done = static_cast<double>(runner.folds), all = static_cast<double>(num_folds);
  const double expected = lead(runner, best) * std::sqrt(all / done);
  return needed - expected > kFutile * std::sqrt((all - done) / done);
}

class TextSearch {
 public:
  TextSearch(const TrainOptions& options, const TextSample& sample,
             const TextSearchObserver& observer)
      : options_(options),
        open_(open_settings(options)),
        sample_(sample),
        observer_(observer),
        trials_(options, sample, [&observer] { return observer.stop && observer.stop(); }) {}

  std::optional<TextChoice> run() {
    const InputLayout& layout = sample_.layout();
    const std::vector<TextCandidate> first =
        layout.has_text() ? first_candidates(options_, sample_.has_dense_script())
                          : table_candidates(options_, layout);
    if (first.size() < 2 && !layout.has_text()) return std::nullopt;
    if (first.empty()) return std::nullopt;
    const Dataset& examples = trials_.counts(first[0]);
    if (examples.num_labels < 2) return std::nullopt;
    if (!layout.has_text() && examples.num_labels > kMostTableLabels) return std::nullopt;
    if (observer_.log != nullptr) observer_.log->begin(fingerprint(examples));
    num_folds_ = trials_.choose_folds(examples);
    keeps_trials_ = trials_.wants_trial(examples);
    take_lead(race(runners_of(first), kBehind));
    if (leader_ != nullptr && !cut_short_) take_lead(refine(leader_));
    if (leader_ != nullptr && !cut_short_) take_lead(try_network(leader_));
    if (leader_ == nullptr) return std::nullopt;
    return result(*try_pruning(leader_));
  }

  /// Trains the candidate's first fold again, as run() did; null if it was stopped.
  std::shared_ptr<const TrialModel> train_again(const TextCandidate& candidate) {
    keeps_trials_ = true;
    TextCandidate whole = candidate;
    if (open_.prune) whole.prune = TextCandidate().prune;
    Runner* const runner = runners_of({whole})[0];
    if (!run_fold(*runner)) return nullptr;
    return candidate == whole ? runner->trained : pruned_trial(*runner);
  }

 private:
  std::vector<Runner*> runners_of(const std::vector<TextCandidate>& candidates);
  Runner* known(const TextCandidate& candidate);
  static Runner* best_of(const std::vector<Runner*>& runners);
  Runner* race(std::vector<Runner*> runners, double behind);
  void forget_losers(const std::vector<Runner*>& runners);
  void take_lead(Runner* best);
  Runner* refine(Runner* best);
  Runner* try_network(Runner* best);
  Runner* try_pruning(Runner* best);
  bool run_fold(Runner& runner);
  bool is_hopeless(const Runner& runner, const std::vector<std::uint8_t>& hits,
                   double behind) const;
  void tell(const std::vector<Runner*>& runners) const;
  TextChoice result(const Runner& best) const;

  const TrainOptions& options_;
  OpenSettings open_;
  const TextSample& sample_;
  const TextSearchObserver& observer_;
  TextTrials trials_;
  std::uint64_t num_folds_ = 1;
  bool cut_short_ = false;
  bool keeps_trials_ = false;
  Runner* leader_ = nullptr;
  std::vector<std::unique_ptr<Runner>> runners_;
};

std::vector<Runner*> TextSearch::runners_of(const std::vector<TextCandidate>& candidates) {
  std::vector<Runner*> runners;
  for (const TextCandidate& candidate : candidates) {
    runners.push_back(runners_.emplace_back(std::make_unique<Runner>()).get());
    runners.back()->trial.candidate = candidate;
  }
  return runners;
}

Runner* TextSearch::known(const TextCandidate& candidate) {
  for (const auto& runner : runners_) {
    if (runner->trial.candidate == candidate) return runner.get();
  }
  return nullptr;
}

/// Trains, or takes the result that an earlier run had.
bool TextSearch::run_fold(Runner& runner) {
  const TextCandidate& candidate = runner.trial.candidate;
  TrialLog* const log = observer_.log;
  if (const FoldResult* known = log == nullptr ? nullptr : log->find(candidate, runner.folds)) {
    take_fold(*known, runner);
    return true;
  }
  std::optional<FoldResult> result = trials_.run_fold(
      runner, keeps_trials_, [&](const std::vector<std::uint8_t>& hits, double share) {
        return candidate.is_text() && is_hopeless(runner, hits, kHopeless / std::sqrt(share));
      });
  if (!result) return false;
  if (log != nullptr) log->add(candidate, runner.folds, *result);
  take_fold(*result, runner);
  if (observer_.finished_fold) observer_.finished_fold();
  return true;
}

/// Whether a network with such a next fold is so far behind one of those that had this fold.
bool TextSearch::is_hopeless(const Runner& runner, const std::vector<std::uint8_t>& hits,
                             double behind) const {
  Runner now = runner;
  now.hits.insert(now.hits.end(), hits.begin(), hits.end());
  return std::any_of(runners_.begin(), runners_.end(), [&](const auto& other) {
    return other->folds > runner.folds && lead(*other, now) > behind;
  });
}

/// The best of those that had a fold, the first of equals, or nothing.
Runner* TextSearch::best_of(const std::vector<Runner*>& runners) {
  Runner* best = nullptr;
  for (Runner* const runner : runners) {
    if (runner->folds > 0 && (best == nullptr || is_better(*runner, *best))) best = runner;
  }
  return best;
}

/// The best of the runners, where the search is over before all had a fold of those that had one.
/// Who is so many standard errors behind the best leaves, and who will hardly replace it.
Runner* TextSearch::race(std::vector<Runner*> runners, double behind) {
  const std::vector<Runner*> all = runners;
  Runner* best = nullptr;
  for (std::uint64_t fold = 0; fold < num_folds_ && (fold == 0 || runners.size() > 1); ++fold) {
    for (Runner* const runner : runners) {
      if (runner->folds > fold) continue;
      if (run_fold(*runner)) {
        if (num_folds_ == 1) forget_losers(runners);
        continue;
      }
      cut_short_ = true;
      tell(all);
      return best != nullptr ? best : best_of(runners);
    }
    best = best_of(runners);
    std::erase_if(runners, [&](const Runner* r) {
      return lead(*best, *r) > behind || (r != best && is_futile(*r, *best, num_folds_));
    });
  }
  tell(all);
  return best;
}

/// Only models of who may still win are kept, so that few lie in memory at once.
void TextSearch::forget_losers(const std::vector<Runner*>& runners) {
  const Runner* const best = best_of(runners);
  for (Runner* const runner : runners) {
    if (runner != best && runner != leader_) runner->trained.reset();
  }
}

void TextSearch::take_lead(Runner* best) {
  leader_ = best;
  for (const auto& runner : runners_) {
    if (runner.get() != best) runner->trained.reset();
  }
}

/// Changes one setting. Differences of costs are small: what does not look better at once is left
/// alone, and what looks better must be so beyond noise.
Runner* TextSearch::refine(Runner* best) {
  for (const std::vector<TextCandidate>& changed : neighbours(best->trial.candidate, open_)) {
    std::vector<Runner*> runners = runners_of(changed);
    runners.insert(runners.begin(), best);
    Runner* const next = race(runners, 0);
    if (next != nullptr && lead(*next, *best) >= kAhead) return next;
    if (cut_short_) break;
  }
  return best;
}

/// A network with the leader's features, where it was not behind with pairs of words.
Runner* TextSearch::try_network(Runner* best) {
  const TextCandidate& c = best->trial.candidate;
  if (!c.linear || !open_.network) return best;
  const auto pairs = [&](bool linear) -> Runner* {
    for (const auto& runner : runners_) {
      const TextCandidate& other = runner->trial.candidate;
      if (other.linear == linear && other.char_ngrams.empty() && other.word_ngrams == 2)
        return runner.get();
    }
    return nullptr;
  };
  const TextCandidate network = as_network(c, options_);
  if (known(network) != nullptr || pairs(true) == nullptr || pairs(false) == nullptr) return best;
  if (lead(*pairs(true), *pairs(false)) > 0) return best;
  Runner* const found = race({best, runners_of({network})[0]}, kBehind);
  return found != nullptr ? found : best;
}

Runner* TextSearch::try_pruning(Runner* best) {
  const TextCandidate& c = best->trial.candidate;
  if (!c.is_text() || best->pruned_hits.size() != best->hits.size()) return best;
  TextCandidate candidate = c;
  candidate.prune = kPrune;
  Runner* const pruned = runners_of({candidate})[0];
  pruned->hits = best->pruned_hits;
  pruned->folds = best->folds;
  pruned->trained = pruned_trial(*best);
  take_score(*pruned);
  tell({pruned});
  return lead(*best, *pruned) <= kPruneBehind ? pruned : best;
}

void TextSearch::tell(const std::vector<Runner*>& runners) const {
  for (Runner* const runner : runners) {
    if (runner->folds == 0 || runner->told) continue;
    if (observer_.tried) observer_.tried(runner->trial);
    runner->told = true;
  }
}

TextChoice TextSearch::result(const Runner& best) const {
  TextChoice choice;
  for (const auto& runner : runners_) {
    if (runner->folds == 0) continue;
    if (runner.get() == &best) choice.best = choice.trials.size();
    choice.trials.push_back(runner->trial);
  }
  choice.examples = sample_.num_examples();
  choice.sampled = sample_.is_part();
  choice.cut_short = cut_short_;
  choice.trained = best.trained;
  return choice;
}

/// Networks of several labels an example take long: their features are those that are best for
/// linear classifiers.
TrainOptions searched_options(const TrainOptions& options, bool several_labels) {
  const OpenSettings open = open_settings(options);
  TrainOptions searched = options;
  if (searched.features.char_ngrams == "none") searched.features.char_ngrams = "";
  if (open.linear || !several_labels) return searched;
  searched.settings = TrainSettings();
  searched.settings.architecture = "tree";
  searched.settings.forest = options.settings.forest;
  searched.settings.forest.nodes.solver.cost = 1;
  double& prune = searched.settings.forest.nodes.prune;
  prune = std::max(0.0, prune);
  return searched;
}

}  // namespace

std::optional<TextChoice> search_text(const TrainOptions& options,
                                      const TextSearchObserver& observer) {
  if (!leaves_open(options) || !is_regular_input(options.data) ||
      is_tensor_input(options.features.format, options.data)) {
    return std::nullopt;
  }
  std::optional<TextSample> sample;
  try {
    sample.emplace(options.data, options.features, kMostBytes, options.seed);
  } catch (const Error& error) {
    // Reading all of the data will find it again, and say more.
    if (error.status() != ExitStatus::bad_input) throw;
    return std::nullopt;
  }
  if (!is_searched(sample->layout()) || sample->num_examples() < kFewestExamples)
    return std::nullopt;
  if (has_ranks(options)) {
    if (!sample->layout().has_text()) return std::nullopt;
    fail(ExitStatus::unavailable,
         "settings of text are searched for in one process, not on several ranks: use --no-search, "
         "or go on with --resume from a checkpoint of one process");
  }
  const TrainOptions searched = searched_options(options, sample->layout().has_several_labels());
  return TextSearch(searched, *sample, observer).run();
}

std::shared_ptr<const TrialModel> train_again(const TrainOptions& options,
                                              const TextCandidate& candidate,
                                              const std::function<bool()>& stop) {
  const TextSample sample(options.data, options.features, kMostBytes, options.seed);
  const TrainOptions searched = searched_options(options, true);
  return TextSearch(searched, sample, {stop, {}, {}, nullptr}).train_again(candidate);
}

std::string search_skipped(const TrainOptions& options, const Featurizer& featurizer,
                           std::uint64_t examples, bool out_of_time) {
  if (!leaves_open(options) || !(featurizer.reads_text() || featurizer.reads_columns())) return "";
  if (examples < kFewestExamples) {
    return "too few examples, " + std::to_string(examples) + ", expected at least " +
           std::to_string(kFewestExamples);
  }
  if (!is_regular_input(options.data))
    return "a search reads the data twice, which are no regular file";
  if (has_ranks(options)) return "tables are searched for in one process, not on several ranks";
  return out_of_time ? "the time budget left no time" : "";
}

}  // namespace frugal::sparse
