#include "tools/robe-compress/hot_search.h"

#include <algorithm>
#include <optional>

#include "libcore/base/error.h"
#include "libcore/embedding/block_embedding.h"
#include "libcore/system/signals.h"
#include "tools/robe-compress/click_model.h"
#include "tools/robe-compress/train_rates.h"

namespace frugal {
namespace {

constexpr double kShares[] = {0, 0.25, 0.5, 0.9};
constexpr std::uint64_t kTrialSamples = 400'000;

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

/// Trains for one pass; the mean loss of the second half.
double progressive_loss(ClickData& data, const TrainOptions& options, const TrialModel& model) {
  const std::uint64_t samples = std::min(data.size(), kTrialSamples);
  const std::uint64_t steps = (samples + options.batch_size - 1) / options.batch_size;
  ClickTrainer trainer(*model.embedding, *model.network, make_setup(options, steps));
  data.start_epoch(options.seed, 0);
  trainer.run(data, steps / 2, stop_requested);
  if (steps > 1) trainer.take_progress();
  trainer.run(data, steps - steps / 2, stop_requested);
  const ClickTrainer::Progress progress = trainer.take_progress();
  return progress.loss / static_cast<double>(std::max<std::uint64_t>(1, progress.samples));
}

/// Nothing where the share leaves no room, unless it is the smallest.
std::optional<TrialModel> make_trial(double share,
                                     const std::function<TrialModel(double share)>& make) try {
  return make(share);
} catch (const Error& error) {
  if (error.status() != ExitStatus::usage || share == kShares[0]) throw;
  return std::nullopt;
}

}  // namespace

std::vector<HotTrial> search_hot_share(ClickData& data, const TrainOptions& options,
                                       const RowCounts& counts,
                                       const std::function<TrialModel(double share)>& make) {
  std::vector<HotTrial> trials;
  for (const double share : kShares) {
    const std::optional<TrialModel> model = make_trial(share, make);
    if (!model) break;
    const HotRows& hot = dynamic_cast<const BlockEmbedding&>(*model->embedding).settings().hot;
    if (!trials.empty() && trials.back().hot_rows == hot.size()) continue;
    trials.push_back({.share = share,
                      .hot_rows = hot.size(),
                      .coverage = coverage_of(hot, counts),
                      .loss = progressive_loss(data, options, *model)});
  }
  std::min_element(trials.begin(), trials.end(), [](const HotTrial& a, const HotTrial& b) {
    return a.loss < b.loss;
  })->chosen = true;
  return trials;
}

std::vector<HotTrial> search_hot_share(ClickData& data, const TrainOptions& options,
                                       const RowCounts& counts) {
  const ClickEncoder& encoder = data.encoder();
  const TableSet tables = tables_of(encoder, options.dim);
  const NetworkShape shape = {encoder.num_numbers(), encoder.num_fields(), options.dim};
  return search_hot_share(data, options, counts, [&](double share) -> TrialModel {
    EmbeddingOptions embedding = options.embedding;
    embedding.hot_share = share;
    return {make_embedding(tables, embedding, counts),
            make_network(options.network, shape, options.seed)};
  });
}

}  // namespace frugal
