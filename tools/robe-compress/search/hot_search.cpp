#include "tools/robe-compress/search/hot_search.h"

#include <algorithm>
#include <optional>

#include "libcore/base/error.h"
#include "libcore/base/text.h"
#include "libcore/embedding/block_embedding.h"

namespace frugal::robe {
namespace {

constexpr double kShares[] = {0, 0.25, 0.5, 0.9};
constexpr std::uint64_t kTrialSamples = 400'000;
constexpr int kLossDigits = 5;

double coverage_of(const HotRows& hot, const RowCounts& counts) {
  double met = 0, all = 0;
  for (std::size_t t = 0; t < counts.size(); ++t) {
    for (std::uint32_t row = 0; row < counts[t].size(); ++row) {
      all += counts[t][row];
      if (hot.find(t, row) != HotRows::kNone) met += counts[t][row];
    }
  }
  return all > 0 ? met / all : 0;
}

/// Nothing where the share leaves no room, unless it is the smallest.
std::optional<TrialModel> make_trial(double share,
                                     const std::function<TrialModel(double share)>& make) try {
  return make(share);
} catch (const Error& error) {
  if (error.status() != ExitStatus::usage || share == kShares[0]) throw;
  return std::nullopt;
}

/// Marks the share that is to be taken.
void choose(std::vector<HotTrial>& trials) {
  const auto best =
      std::min_element(trials.begin(), trials.end(),
                       [](const HotTrial& a, const HotTrial& b) { return a.loss < b.loss; });
  (best->gain.is_clear() ? *best : trials.front()).chosen = true;
}

}  // namespace

std::string HotTrial::text() const {
  std::string text = "hot share " + format_number(share) + ": " + std::to_string(hot_rows) +
                     " rows, " + format_number(100 * coverage, 3) + " % of the look-ups, loss " +
                     format_number(loss, kLossDigits);
  if (share > 0) {
    text += ", gain " + format_number(gain.mean, 2) + " +- " + format_number(gain.error, 2);
  }
  return text + (chosen ? ", chosen" : "");
}

std::vector<HotTrial> search_hot_share(ClickData& data, const TrainOptions& options,
                                       const RowCounts& counts,
                                       const std::function<TrialModel(double share)>& make,
                                       const std::function<bool()>& stop) {
  HeldBack held_back(data);
  if (!held_back.suffices()) return {};
  std::vector<HotTrial> trials;
  std::vector<float> without;
  for (const double share : kShares) {
    std::optional<TrialModel> model = make_trial(share, make);
    if (!model) break;
    const HotRows& hot = dynamic_cast<const BlockEmbedding&>(*model->embedding).settings().hot;
    if (!trials.empty() && trials.back().hot_rows == hot.size()) continue;
    HotTrial found;
    found.share = share;
    found.hot_rows = hot.size();
    found.coverage = coverage_of(hot, counts);
    Trial trial =
        run_trial(data, held_back, options, *model, {.most_samples = kTrialSamples, .stop = stop});
    if (trial.best_epoch() == 0) break;  // stopped
    if (without.empty()) without = trial.best.losses;
    found.gain = paired_gain(without, trial.best.losses);
    found.loss = trial.epochs[static_cast<std::size_t>(trial.best_epoch()) - 1].figures.log_loss;
    found.epochs = std::move(trial.epochs);
    trials.push_back(std::move(found));
  }
  if (!trials.empty()) choose(trials);
  return trials;
}

}  // namespace frugal::robe
