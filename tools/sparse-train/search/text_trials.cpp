#include "tools/sparse-train/search/text_trials.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "libcore/system/clock.h"
#include "libcore/system/limits.h"
#include "tools/sparse-train/data/records.h"
#include "tools/sparse-train/fit/calibrate.h"
#include "tools/sparse-train/fit/setup.h"
#include "tools/sparse-train/text/featurizer.h"

namespace frugal::sparse {
namespace {

/// Bytes of text times blocks of classifiers that a fold may have before there are fewer of them.
constexpr std::uint64_t kBytesOfFolds = std::uint64_t{2} << 20;
constexpr std::uint64_t kLabelsOfBlock = 16;
constexpr std::uint64_t kMostBlocks = 8;

std::vector<std::uint8_t> first_hits(const Scorer& scorer, const Dataset& data) {
  const std::vector<ScoredLabel> best = scorer.predict(data, 0, data.size());
  std::vector<std::uint8_t> hits;
  for (std::size_t i = 0; i < data.size(); ++i) {
    const auto truth = data.labels_of(i);
    hits.push_back(std::find(truth.begin(), truth.end(), best[i * scorer.k()].label) !=
                   truth.end());
  }
  return hits;
}

/// Sets weights that --tree-prune would leave out to 0.
QuickModel without_small_weights(const QuickModel& model, double least) {
  QuickModel result{std::nullopt, model.forest, model.label_counts};
  for (LabelTree& tree : result.forest->trees) {
    for (ChildWeight& w : tree.weights) {
      if (std::abs(w.value()) < static_cast<float>(least)) w.weight = to_bfloat16(0);
    }
  }
  return result;
}

void append(const std::vector<std::uint8_t>& hits, std::vector<std::uint8_t>& all) {
  all.insert(all.end(), hits.begin(), hits.end());
}

}  // namespace

double lead(const Runner& a, const Runner& b) {
  double a_alone = 0, b_alone = 0;
  for (std::size_t i = 0; i < std::min(a.hits.size(), b.hits.size()); ++i) {
    a_alone += static_cast<double>(a.hits[i] > b.hits[i]);
    b_alone += static_cast<double>(b.hits[i] > a.hits[i]);
  }
  return (a_alone - b_alone) / std::sqrt(std::max(1.0, a_alone + b_alone));
}

void take_score(Runner& runner) {
  const auto right = std::count(runner.hits.begin(), runner.hits.end(), 1);
  runner.trial.examples = runner.hits.size();
  runner.trial.score = static_cast<double>(right) /
                       static_cast<double>(std::max<std::size_t>(1, runner.hits.size()));
}

std::shared_ptr<const TrialModel> pruned_trial(const Runner& runner) {
  if (!runner.trained) return nullptr;
  const TrialModel& whole = *runner.trained;
  return std::make_shared<TrialModel>(
      TrialModel{without_small_weights(whole.model, kPrune), whole.held_out});
}

const Dataset& TextTrials::counts(const TextCandidate& c) {
  const auto [found, is_new] = counts_.try_emplace({c.word_ngrams, c.char_ngrams});
  if (!is_new) return found->second;
  FeatureOptions features = options_.features;
  if (c.is_text()) {
    features.word_ngrams = c.word_ngrams;
    features.char_ngrams = c.char_ngrams;
  } else {
    features = with_default_ngrams(features);
  }
  features.min_count = 1;
  features.max_features = 0;
  features.weighting = "count";
  features.quiet = true;
  if (sample_.is_part()) {
    features = options_of_part(features, sample_.layout());
    // The place of a bad line in a sample says nothing: reading all will find it.
    features.skip_bad = std::numeric_limits<std::uint64_t>::max();
  }
  found->second = Featurizer(features).fit(sample_.path());
  sort_features(found->second);
  return found->second;
}

std::uint64_t TextTrials::choose_folds(const Dataset& data) const {
  const std::uint64_t blocks =
      std::clamp<std::uint64_t>(data.num_labels / kLabelsOfBlock, 1, kMostBlocks);
  return std::clamp<std::uint64_t>(kBytesOfFolds / (sample_.num_bytes() * blocks), 1, kFolds);
}

bool TextTrials::wants_trial(const Dataset& data) const {
  const bool by_data = options_.calibration == "auto" && wants_calibration(facts_of(data), true);
  return !sample_.is_part() && (by_data || options_.calibration == "held-out");
}

Plan TextTrials::plan_of(const TextCandidate& c, const Dataset& data) const {
  TrainSettings settings = options_.settings;
  if (c.linear) {
    settings.architecture = "tree";
    settings.forest.nodes.solver.cost = c.cost;
    settings.forest.nodes.prune = c.prune;
    if (settings.forest.trees == 0)
      settings.forest.trees = 1;  // more trees help all candidates alike
  }
  if (!c.activation.empty()) settings.activation = c.activation;
  DataFacts facts = facts_of(data);
  facts.of_numbers = sample_.layout().is_number_table();
  Plan plan = plan_training(settings, facts);
  plan.forest.seed = options_.seed;
  return plan;
}

bool TextTrials::fits(const Plan& plan, const Dataset& data) const {
  if (!plan.has_network()) return true;
  const std::uint64_t left = memory_available();
  return left == 0 || network_bytes(plan, data) < left / 2;
}

const Fold& TextTrials::fold_of(const TextCandidate& c, std::uint64_t number) {
  const std::string key = std::to_string(c.word_ngrams) + " " + c.char_ngrams + " " +
                          std::to_string(c.min_count) + " " + std::to_string(number);
  if (key == fold_key_) return fold_;
  const std::string& weighting = options_.features.weighting;
  const FoldFeatures features{static_cast<std::uint32_t>(c.min_count),
                              options_.features.max_features,
                              weighting == "auto" ? "tfidf" : weighting, options_.normalize};
  make_fold(counts(c), number, features, options_.seed, fold_);
  fold_key_ = key;
  return fold_;
}

void take_fold(const FoldResult& result, Runner& runner) {
  append(result.hits, runner.hits);
  append(result.pruned_hits, runner.pruned_hits);
  ++runner.folds;
  runner.trial.cpu_seconds += result.cpu_seconds;
  runner.trial.given_up |= result.given_up;
  take_score(runner);
}

std::optional<FoldResult> TextTrials::run_fold(Runner& runner, bool keeps_trial,
                                               const Hopeless& hopeless) {
  const TextCandidate& c = runner.trial.candidate;
  const double began = cpu_seconds();
  const Fold& fold = fold_of(c, runner.folds);
  const Plan plan = plan_of(c, fold.training);
  FoldResult result;
  result.given_up = runner.trial.given_up;
  result.hits.resize(fold.held_out.size());
  if (fold.training.num_features > 0 && fits(plan, fold.training)) {
    const MidwayLook midway = [&](const QuickModel& model, double share) {
      return result.given_up |= hopeless(first_hits(*model.scorer(1), fold.held_out), share);
    };
    QuickModel model =
        train_quickly(plan, fold.training, {options_.seed, options_.precision, stop_, {}, midway});
    if (stop_()) return std::nullopt;
    result.hits = first_hits(*model.scorer(1), fold.held_out);
    if (c.linear && open_.prune) {
      result.pruned_hits =
          first_hits(*without_small_weights(model, kPrune).scorer(1), fold.held_out);
    }
    if (runner.folds == 0 && keeps_trial)
      runner.trained = std::make_shared<TrialModel>(TrialModel{std::move(model), fold.held_out});
  }
  result.cpu_seconds = cpu_seconds() - began;
  return result;
}

}  // namespace frugal::sparse
