#include "tools/robe-compress/search/epoch_search.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "libcore/metrics/classification.h"
#include "libcore/system/clock.h"
#include "libcore/train/training_run.h"
#include "tools/robe-compress/model/click_model.h"
#include "tools/robe-compress/steps/train_rates.h"
#include "tools/robe-compress/steps/trainer.h"

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

void Grade::add(std::span<const float> of_logits, std::span<const float> of_labels) {
  metrics.add(of_logits, of_labels);
  Answers& a = answers;
  a.logits.insert(a.logits.end(), of_logits.begin(), of_logits.end());
  a.labels.insert(a.labels.end(), of_labels.begin(), of_labels.end());
  for (std::size_t i = 0; i < of_logits.size(); ++i) {
    a.losses.push_back(static_cast<float>(logistic_loss(of_logits[i], of_labels[i])));
  }
}

Grade mean_grade(const Answers& a, const Answers& b) {
  assert(a.logits.size() == b.logits.size());
  std::vector<float> means;
  for (std::size_t i = 0; i < a.logits.size(); ++i) {
    means.push_back((a.logits[i] + b.logits[i]) / 2);
  }
  Grade mean;
  mean.add(means, a.labels);
  return mean;
}

Grade HeldBack::grade(Predictor& predictor) {
  Grade grade;
  data_.start_held_back();
  ClickBatch batch;
  while (data_.next(batch, kHeldBackBatch)) {
    grade.add(predictor.logits(batch), batch.labels);
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
/// Steps that a network may need before it learns anything, and fewest epochs for that.
constexpr std::uint64_t kPlateauSteps = 2000, kPlateauEpochs = 10;
/// Overfitting if the log-loss is above this multiple of that of the share of clicks. A network
/// that has learned nothing yet stays below (at most 1.03 with ids alone and 3,000 to 60,000
/// samples).
constexpr double kByHeart = 1.1;

}  // namespace

Patience patience_of(const TrainOptions& options, std::uint64_t samples) {
  if (options.patience > 0) return {options.patience, options.patience};
  if (!ends_by_validation(options)) return {};
  const std::uint64_t steps = 1 + samples / samples_of_step(options);
  const std::uint64_t plateau =
      std::clamp<std::uint64_t>(kPlateauSteps / steps, kPlateauEpochs, kMostEpochs);
  return {samples < kManySamples ? 2 : 1, static_cast<int>(plateau)};
}

bool epochs_suffice(int epoch, int best_epoch, double best_loss, const BinaryMetrics& last,
                    const Patience& patience) {
  if (patience.epochs == 0) return false;
  const double of_share = learnt_figures(last).of_share;
  // For samples of one class, of_share is NaN, so it does not wait.
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

namespace {

/// A trial, trained and graded like the run itself.
class ClickTrial final : public TrialTrainee {
 public:
  ClickTrial(ClickData& data, HeldBack& held_back, const TrainOptions& options, TrialModel& model,
             const TrialLimits& limits)
      : data_(data),
        held_back_(held_back),
        options_(options),
        model_(model),
        keeps_(limits.keep),
        patience_(patience_of(options, data.size())),
        steps_((std::min(data.size(), limits.most_samples) + samples_of_step(options) - 1) /
               samples_of_step(options)),
        trainer_(make_trainer(*model.embedding, *model.network,
                              make_setup(options, data.encoder(), scheduled_steps()))) {}

  int most_epochs() const {
    return ends_by_validation(options_) ? kMostEpochs : std::max(1, options_.epochs);
  }
  Trial take(int best_epoch) {
    if (best_epoch > 0) trial_.epochs[static_cast<std::size_t>(best_epoch - 1)].chosen = true;
    return std::move(trial_);
  }

  void begin_epoch(const RunPosition& at) override {
    data_.start_epoch(options_.seed, static_cast<std::uint64_t>(at.epoch));
    seconds_ = -wall_seconds();
    cpu_seconds_ = -cpu_seconds();
  }
  TrainedPart advance(const RunPosition& at, std::uint64_t,
                      const std::function<bool()>& interrupted) override {
    const std::uint64_t end = steps_ * static_cast<std::uint64_t>(at.epoch + 1);
    const std::uint64_t steps = trainer_->run(data_, end - at.step, [&] {
      const std::uint8_t asked = interrupted() ? 1 : 0;
      return (options_.ranks == nullptr ? asked : any_of_ranks(*options_.ranks, asked)) != 0;
    });
    const BatchTrainer::Progress progress = trainer_->take_progress();
    return {steps, progress.samples, progress.loss, at.step + steps == end};
  }
  bool can_validate() const override { return true; }
  Scores validate(const RunPosition&) override {
    seconds_ += wall_seconds();
    cpu_seconds_ += cpu_seconds();
    trainer_->bring_together();
    model_.embedding->refresh();
    last_ = held_back_.grade(*trainer_->predictor());
    trial_.epochs.push_back({learnt_figures(last_.metrics), false});
    return {{}, -last_.metrics.log_loss(), 0};
  }
  void keep_best() override {
    trial_.best = std::move(last_.answers);
    trial_.kept.reset();
    if (keeps_ && trial_.epochs.size() == 1 && trainer_->step() == steps_) keep_epoch();
  }
  bool suffices(const RunPosition& at) const override {
    return epochs_suffice(at.epoch, at.best_epoch, -at.best_score, last_.metrics, patience_);
  }

 private:
  void keep_epoch() {
    trainer_->bring_back();
    Document state;
    model_.embedding->save(state);
    model_.network->save(state);
    model_.embedding->save_state(state);
    model_.network->save_state(state);
    trial_.kept = {state.clone(), steps_, data_.size(), seconds_, cpu_seconds_};
  }
  std::uint64_t scheduled_steps() const {
    const bool all = !ends_by_validation(options_);
    return all ? steps_ * static_cast<std::uint64_t>(most_epochs()) : steps_;
  }

  ClickData& data_;
  HeldBack& held_back_;
  const TrainOptions& options_;
  TrialModel& model_;
  bool keeps_;
  Patience patience_;
  std::uint64_t steps_;                   ///< an epoch
  double seconds_ = 0, cpu_seconds_ = 0;  ///< of the last epoch's steps
  std::unique_ptr<BatchTrainer> trainer_;
  Grade last_;
  Trial trial_;
};

}  // namespace

Trial run_trial(ClickData& data, HeldBack& held_back, const TrainOptions& options,
                TrialModel& model, const TrialLimits& limits) {
  ClickTrial trial(data, held_back, options, model, limits);
  return trial.take(
      frugal::run_trial(trial, trial.most_epochs(), limits.stop, options.ranks).at.best_epoch);
}

}  // namespace frugal::robe
