#include "tools/robe-compress/epoch_search.h"

#include <algorithm>
#include <limits>

#include "tools/robe-compress/train_rates.h"

namespace frugal {
namespace {

constexpr std::uint64_t kManySamples = 1'000'000;
/// Epochs that a network may take before it finds anything.
constexpr int kLongestPlateau = 10;

}  // namespace

Patience patience_of(const TrainOptions& options, std::uint64_t samples) {
  if (options.patience > 0) return {options.patience, options.patience};
  if (!ends_by_validation(options)) return {};
  return {samples < kManySamples ? 2 : 1, kLongestPlateau};
}

bool epochs_suffice(int epoch, int best_epoch, double best_loss, const BinaryMetrics& last,
                    const Patience& patience) {
  if (patience.epochs == 0) return false;
  const bool learnt = best_loss < kNothingLearnt * learnt_figures(last).of_share;
  return epoch - best_epoch >= (learnt ? patience.epochs : patience.until_learnt);
}

std::vector<EpochTrial> search_epochs(ClickData& data, const TrainOptions& options,
                                      TrialModel model, const std::function<bool()>& stop) {
  HeldBack held_back(data);
  if (!held_back.suffices()) return {};
  const Patience patience = patience_of(options, data.size());
  const std::uint64_t steps = (data.size() + options.batch_size - 1) / options.batch_size;
  ClickTrainer trainer(*model.embedding, *model.network, make_setup(options, steps));
  std::vector<EpochTrial> trials;
  int best = 0;
  double best_loss = std::numeric_limits<double>::infinity();
  for (int epoch = 1; epoch <= kMostEpochs && !stop(); ++epoch) {
    data.start_epoch(options.seed, static_cast<std::uint64_t>(epoch - 1));
    trainer.run(data, steps, stop);
    if (stop()) break;
    const BinaryMetrics metrics = held_back.grade(*model.embedding, *model.network).metrics;
    trials.push_back({learnt_figures(metrics), false});
    if (metrics.log_loss() < best_loss) {
      best_loss = metrics.log_loss();
      best = epoch;
    }
    if (epochs_suffice(epoch, best, best_loss, metrics, patience)) break;
  }
  if (best > 0) trials[static_cast<std::size_t>(best - 1)].chosen = true;
  return trials;
}

}  // namespace frugal
