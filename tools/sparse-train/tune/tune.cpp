#include "tools/sparse-train/tune/tune.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "libcore/base/error.h"
#include "libcore/base/text.h"
#include "libcore/system/clock.h"
#include "libcore/system/signals.h"
#include "tools/sparse-train/data/data_gaps.h"
#include "tools/sparse-train/fit/plan.h"
#include "tools/sparse-train/run/training.h"
#include "tools/sparse-train/tune/tune_data.h"
#include "tools/sparse-train/tune/tune_space.h"

namespace frugal::sparse {
namespace {

/// One in this many configurations of a rung moves on to the next.
constexpr std::size_t kEta = 3;
/// Most configurations in the first rung.
constexpr std::size_t kMostConfigurations = 200;
/// Most draws, including repeated ones, which are not tried again.
constexpr int kMostDraws = 2000;
/// Number of configurations drawn at a time, which are tried in the order of their cost.
constexpr std::size_t kDrawnAtOnce = 27;

/// True if trial a is the better choice. Trials on more data come first, because they are more
/// reliable.
bool better(const Trial& a, const Trial& b) {
  if (a.rung != b.rung) return a.rung > b.rung;
  return a.score != b.score ? a.score > b.score : a.configuration < b.configuration;
}

class Search {
 public:
  Search(const TuneOptions& options, const std::function<void(const Trial&)>& told)
      : options_(options),
        told_(told),
        began_(cpu_seconds()),
        data_(options.train.data, options.train.validation, options.train.features,
              options.held_out, options.train.seed) {}

  TuneResult run() {
    std::vector<Trial> rung = first_rung();
    for (int number = 1; number < static_cast<int>(TuneData::kRungs) && !over(number); ++number) {
      std::sort(rung.begin(), rung.end(), better);
      rung.resize((rung.size() + kEta - 1) / kEta);
      std::vector<Trial> next;
      for (Trial& trial : rung) {
        // The best of the rung below is tried again even when its time is over.
        if (!next.empty() && over(number)) break;
        trial.rung = number;
        if (train_trial(trial)) next.push_back(trial);
      }
      if (next.empty()) break;
      rung = std::move(next);
    }
    choose_best();
    return std::move(result_);
  }

 private:
  /// The planner's own configuration and random ones.
  std::vector<Trial> first_rung() {
    std::vector<Trial> rung;
    const std::size_t most =
        options_.trials > 0 ? static_cast<std::size_t>(options_.trials) : kMostConfigurations;
    look_at_data();
    while (rung.size() < most && (rung.empty() || !over(0))) {
      const std::vector<Trial> drawn = draw(std::min(kDrawnAtOnce, most - rung.size()));
      if (drawn.empty()) break;
      for (Trial trial : drawn) {
        if (result_.stopped || (!rung.empty() && over(0))) return rung;
        if (train_trial(trial)) rung.push_back(trial);
      }
    }
    return rung;
  }

  /// Reports problems of the user's file once, before training on parts of it. Then makes a plan
  /// for the data, without training.
  void look_at_data() {
    const std::string& path = options_.train.data;
    Featurizer whole(with_default_ngrams(options_.train.features));
    const Dataset data = whole.fit(path);
    warn_of_gaps(path, data);
    check_labels_differ(path, data, whole.label_names());
    FeatureOptions part = with_default_ngrams(data_.features());
    part.quiet = true;
    const Dataset ninth = Featurizer(part).fit(data_.training(0));
    check_first_part(ninth);
    facts_ = facts_of(ninth);
    facts_.of_numbers = whole.is_number_table();
    facts_.examples = data_.num_examples();
    plan_ = plan_training(options_.train.settings, facts_);
  }

  /// Fails where trainings on a part would: the user knows the whole file alone.
  void check_first_part(const Dataset& ninth) const {
    if (ninth.num_labels != 0 && ninth.num_features != 0) return;
    fail(ExitStatus::bad_input, options_.train.data,
         ": the first trainings are on a ninth of the examples, which has no ",
         ninth.num_labels == 0 ? "labels, expected more examples"
                               : "features, expected more examples or a lower --min-count");
  }

  /// Draws up to `count` new configurations, the cheapest first.
  std::vector<Trial> draw(std::size_t count) {
    std::vector<std::pair<double, Trial>> drawn;
    for (; drawn.size() < count && draws_ < kMostDraws; ++draws_) {
      Trial trial;
      trial.configuration = draws_;
      if (draws_ > 0) {
        trial.settings = draw_settings(options_.train, plan_, facts_, data_.is_sparse(),
                                       options_.train.seed, draws_);
      }
      if (!seen_.insert(trial.settings).second) continue;
      drawn.emplace_back(estimated_cost(options_.train, trial.settings, facts_), trial);
    }
    std::stable_sort(drawn.begin(), drawn.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    std::vector<Trial> trials;
    for (auto& [cost, trial] : drawn) trials.push_back(std::move(trial));
    return trials;
  }

  /// Whether the time of a rung, its share of the budget, is over, or the search is to stop. With a
  /// number of trials only the whole budget counts.
  bool over(int rung) const {
    const bool by_trials = options_.trials > 0;
    const double share = by_trials ? 1 : (rung + 1) / static_cast<double>(TuneData::kRungs);
    return result_.stopped || cpu_seconds() - began_ >= options_.budget_seconds * share;
  }

  /// Trains and scores; false if a signal came.
  bool train_trial(Trial& trial) {
    TrainOptions train_options = options_.train;
    train_options.features = data_.features();
    train_options.data = data_.training(static_cast<std::size_t>(trial.rung));
    train_options.validation = data_.validation();
    train_options.model = "/dev/null";
    train_options.features.quiet = true;
    train_options.search = false;
    train_options.calibration = "none";
    train_options.fitted_f1 = options_.metric.ends_with("_f1");
    apply_settings(trial.settings, train_options);
    const double began = cpu_seconds();
    const TrainResult trained = train(train_options, {});
    trial.cpu_seconds = cpu_seconds() - began;
    result_.stopped |= trained.stopped || stop_requested();
    if (trained.stopped || !trained.validation) return false;
    trial.score = metric_of(*trained.validation, options_.metric);
    result_.trials.push_back(trial);
    if (told_) told_(trial);
    return true;
  }

  void choose_best() {
    for (std::size_t i = 0; i < result_.trials.size(); ++i) {
      if (better(result_.trials[i], result_.trials[result_.best])) result_.best = i;
    }
  }

  const TuneOptions& options_;
  const std::function<void(const Trial&)>& told_;
  double began_;
  TuneData data_;
  Plan plan_;
  DataFacts facts_;
  std::set<Settings> seen_;
  int draws_ = 0;
  TuneResult result_;
};

}  // namespace

double metric_of(const Evaluation& evaluation, const std::string& metric) {
  if (metric == "p_at_1") return evaluation.precision[0];
  if (metric == "p_at_5") return evaluation.precision[2];
  if (metric == "psp_at_1") return evaluation.psp[0];
  if (metric == "micro_f1") return evaluation.micro_f1;
  if (metric == "macro_f1") return evaluation.macro_f1;
  fail(ExitStatus::usage, "unknown metric '", metric,
       "', expected p_at_1, p_at_5, micro_f1, macro_f1 or psp_at_1");
}

TuneResult tune(const TuneOptions& options, const std::function<void(const Trial&)>& told) {
  metric_of(Evaluation(), options.metric);
  return Search(options, told).run();
}

std::string tuned_config(const std::string& config, const Settings& settings) {
  static const std::set<std::string, std::less<>> own = {
      "data",       "output", "budget", "held-out",      "metric",   "trials",  "model",
      "validation", "json",   "report", "report-append", "metrics",  "threads", "tensorboard",
      "depfile",    "force",  "quiet",  "verbose",       "progress", "color",   "if-changed"};
  const std::map<std::string, std::string, std::less<>> chosen(settings.begin(), settings.end());
  std::set<std::string, std::less<>> written;
  std::string text;
  for (const std::string_view line : split(config, '\n')) {
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos || line.starts_with('#')) continue;
    const std::string_view key = line.substr(0, colon);
    if (own.contains(key)) continue;
    const auto found = chosen.find(key);
    if (found == chosen.end()) {
      (text += line) += '\n';
      continue;
    }
    text += found->first + ": \"" + found->second + "\"\n";
    written.insert(found->first);
  }
  for (const auto& [key, value] : settings) {
    if (!written.contains(key)) text += key + ": \"" + value + "\"\n";
  }
  return text;
}

}  // namespace frugal::sparse
