#include "tools/robe-compress/epoch_search.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

#include "libcore/metrics/binary_metrics.h"
#include "tools/robe-compress/click_model.h"
#include "tools/robe-compress/train_rates.h"

namespace frugal::robe {
namespace {

constexpr std::uint64_t kEvery = 10, kMost = 50'000, kFewest = 50;
constexpr std::size_t kHeldBackBatch = 8192;

}  // namespace

HeldBack::HeldBack(ClickData& data) : data_(data) {
  data.hold_back(std::max(kEvery, (data.size() + kMost - 1) / kMost));
}

bool HeldBack::suffices() {
  if (data_.num_held_back() < kFewest) return false;
  data_.start_held_back();
  ClickBatch batch;
  bool positive = false, negative = false;
  while (!(positive && negative) && data_.next(batch, kHeldBackBatch)) {
    for (const float label : batch.labels) (label > 0.5F ? positive : negative) = true;
  }
  return positive && negative;
}

HeldBack::Grade HeldBack::grade(const Embedding& embedding, const Network& network) {
  Grade grade;
  ClickPredictor predictor(embedding, network);
  data_.start_held_back();
  ClickBatch batch;
  while (data_.next(batch, kHeldBackBatch)) {
    const std::span<const float> logits = predictor.logits(batch);
    grade.metrics.add(logits, batch.labels);
    for (std::size_t i = 0; i < logits.size(); ++i) {
      grade.losses.push_back(static_cast<float>(logistic_loss(logits[i], batch.labels[i])));
    }
  }
  return grade;
}

PairedGain paired_gain(const std::vector<float>& before, const std::vector<float>& after) {
  assert(before.size() == after.size() && before.size() > 1);
  const auto n = static_cast<double>(before.size());
  double sum = 0, squares = 0;
  for (std::size_t i = 0; i < before.size(); ++i) {
    const double gain = static_cast<double>(before[i]) - static_cast<double>(after[i]);
    sum += gain;
    squares += gain * gain;
  }
  const double mean = sum / n;
  const double variance = std::max(0.0, squares / n - mean * mean) / (n - 1);
  return {mean, std::sqrt(variance)};
}

namespace {

constexpr std::uint64_t kManySamples = 1'000'000;
/// Steps that a network may take before it finds anything, and in how many epochs at least.
constexpr std::uint64_t kPlateauSteps = 2000, kPlateauEpochs = 10;
/// Of the log-loss of the share of clicks: a network that finds nothing yet stays below (1.03 at
/// most with ids alone, 3,000 to 60,000 samples), one that learns samples by heart does not.
constexpr double kByHeart = 1.1;

}  // namespace

Patience patience_of(const TrainOptions& options, std::uint64_t samples) {
  if (options.patience > 0) return {options.patience, options.patience};
  if (!ends_by_validation(options)) return {};
  const std::uint64_t steps = 1 + samples / options.batch_size;
  const std::uint64_t plateau =
      std::clamp<std::uint64_t>(kPlateauSteps / steps, kPlateauEpochs, kMostEpochs);
  return {samples < kManySamples ? 2 : 1, static_cast<int>(plateau)};
}

bool epochs_suffice(int epoch, int best_epoch, double best_loss, const BinaryMetrics& last,
                    const Patience& patience) {
  if (patience.epochs == 0) return false;
  const double of_share = learnt_figures(last).of_share;
  // Of samples of one class the share is not a number: nothing is to be waited for.
  const bool waits =
      best_loss >= kNothingLearnt * of_share && last.log_loss() <= kByHeart * of_share;
  return epoch - best_epoch >= (waits ? patience.until_learnt : patience.epochs);
}

int Trial::best_epoch() const {
  for (std::size_t i = 0; i < epochs.size(); ++i) {
    if (epochs[i].chosen) return static_cast<int>(i) + 1;
  }
  return 0;
}

Trial run_trial(ClickData& data, HeldBack& held_back, const TrainOptions& options,
                TrialModel& model, std::uint64_t most_samples, const std::function<bool()>& stop) {
  const bool by_validation = ends_by_validation(options);
  const int most = by_validation ? kMostEpochs : std::max(1, options.epochs);
  const Patience patience = patience_of(options, data.size());
  const std::uint64_t samples = std::min(data.size(), most_samples);
  const std::uint64_t steps = (samples + options.batch_size - 1) / options.batch_size;
  const auto all = by_validation ? steps : steps * static_cast<std::uint64_t>(most);
  ClickTrainer trainer(*model.embedding, *model.network, make_setup(options, all));
  Trial trial;
  int best = 0;
  double best_loss = std::numeric_limits<double>::infinity();
  for (int epoch = 1; epoch <= most && !stop(); ++epoch) {
    data.start_epoch(options.seed, static_cast<std::uint64_t>(epoch - 1));
    trainer.run(data, steps, stop);
    if (stop()) break;
    model.embedding->refresh();
    HeldBack::Grade grade = held_back.grade(*model.embedding, *model.network);
    trial.epochs.push_back({learnt_figures(grade.metrics), false});
    if (grade.metrics.log_loss() < best_loss) {
      best_loss = grade.metrics.log_loss();
      best = epoch;
      trial.losses = std::move(grade.losses);
    }
    if (epochs_suffice(epoch, best, best_loss, grade.metrics, patience)) break;
  }
  if (best > 0) trial.epochs[static_cast<std::size_t>(best - 1)].chosen = true;
  return trial;
}

}  // namespace frugal::robe
