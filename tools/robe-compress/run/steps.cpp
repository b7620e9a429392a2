#include <algorithm>
#include <cmath>

#include "libcore/base/text.h"
#include "libcore/embedding/embedding_methods.h"
#include "libcore/system/clock.h"
#include "libcore/tensors/metadata_reader.h"
#include "libcore/train/accumulation.h"
#include "tools/robe-compress/data/click_data.h"
#include "tools/robe-compress/run/training.h"
#include "tools/robe-compress/serve/evaluate.h"

namespace frugal::robe {
namespace {

/// The log-loss of always predicting the share of clicks.
double share_loss(double positives, std::uint64_t samples) {
  const double p = positives / static_cast<double>(std::max<std::uint64_t>(1, samples));
  return p > 0 && p < 1 ? -(p * std::log(p) + (1 - p) * std::log1p(-p)) : 0;
}

}  // namespace

RunSettings ClickTraining::run_settings() const {
  RunSettings settings;
  settings.epochs = most_epochs();
  settings.steps = total_steps();
  settings.validate_start = starts_from_model_;
  return settings;
}

RunObserver ClickTraining::run_observer() {
  RunObserver observer;
  observer.log = observer_.log;
  observer.progress = [this](const RunPosition& at) { report_progress(at); };
  observer.validated = [this](const RunPosition& at, const Scores&, bool best) {
    if (observer_.validated) observer_.validated(at.epoch, *validation_);
    if (best) result_.validation = std::move(validation_);
  };
  return observer;
}

void ClickTraining::report_progress(const RunPosition& at) const {
  if (!observer_.progress) return;
  // A trial that is continued has had all samples but those held back.
  const std::uint64_t epochs = kept_steps_ > 0 ? 1 : static_cast<std::uint64_t>(at.epoch);
  const std::uint64_t before = epochs * samples_->size();
  const std::string epoch = most_epochs() > 1 ? "epoch " + std::to_string(at.epoch + 1) + ", " : "";
  observer_.progress(static_cast<double>(before + at.samples),
                     epoch + "loss " + format_number(at.mean_loss(), 4));
}

void ClickTraining::begin_epoch(const RunPosition& at) {
  if (kept_steps_ > 0) {
    rest_.emplace(*samples_->data());
    samples_->data()->start_held_back_epoch(options_.seed);
  } else {
    samples_->start_epoch(options_.seed, static_cast<std::uint64_t>(at.epoch));
  }
  if (at.samples > 0) samples_->skip(at.samples);
}

TrainedPart ClickTraining::advance(const RunPosition&, std::uint64_t most,
                                   const std::function<bool()>& interrupted) {
  bool asked = false;
  const std::uint64_t steps = trainer_->run(samples_->batches(), most, [&] {
    return asked = any_of_ranks(ranks_, interrupted() ? 1 : 0) != 0;
  });
  const BatchTrainer::Progress progress = trainer_->take_progress();
  positives_ += progress.positives;
  epoch_samples_ += progress.samples;
  return {steps, progress.samples, progress.loss, !asked, progress.busy_seconds};
}

void ClickTraining::end_epoch(const RunPosition&, StepValues&) {
  result_.of_share = share_loss(positives_, epoch_samples_);
  if (samples_->data() == nullptr) warn_of_streamed_class();
  positives_ = 0;
  epoch_samples_ = 0;
}

void ClickTraining::save_model(Document& document) const {
  if (trainer_) trainer_->bring_back();
  embedding_->save(document);
  network_->save(document);
}

/// A trainer would step what it was made for.
void ClickTraining::load_model(Document& document, const std::string& place) {
  trainer_.reset();
  embedding_ = load_embedding(document, place);
  network_ = load_network(document, place, options_.network.precision);
}

void ClickTraining::save_state(Document& state) {
  trainer_->bring_back();
  embedding_->save_state(state);
  network_->save_state(state);
  state.metadata["train.positives"] = format_number(positives_);
  state.metadata["train.hot_share"] = format_number(found_share_);
  save_batches(batches_, state);
  state.metadata["train.epochs"] = std::to_string(found_epochs_);
  state.metadata["train.kept_steps"] = std::to_string(kept_steps_);
  state.metadata["train.choice"] = std::to_string(static_cast<int>(choice_));
  state.metadata["train.l2"] = format_number(options_.embedding_l2);
  state.metadata["train.linear_l2"] = format_number(linear_l2_);
}

void ClickTraining::resume(Document& state, const std::string& path) {
  embedding_->load_state(state, path);
  network_->load_state(state, path);
  const MetadataReader read(state, path);
  trainer_->set_step(kept_steps_ + read.number("frugal.step"));
  epoch_samples_ = read.number("train.samples");
  positives_ = read.real("train.positives");
}

/// Rounds the model as it will be stored.
void ClickTraining::finish_model() {
  if (trainer_) trainer_->bring_back();
  trainer_.reset();
  finish_choice();
  const std::uint64_t bytes = embedding_->num_bytes();
  round_to_storage(embedding_, options_.embedding);
  result_.facts.embedding_bytes = embedding_->num_bytes();
  // A resumed run knows only the loss of an epoch before.
  if (can_validate() && (embedding_->num_bytes() != bytes || !result_.validation)) {
    result_.validation = evaluate_validation();
  }
  warn_if_nothing_learnt();
  if (!options_.test.empty()) result_.test = evaluate_file(options_.test);
  if (!options_.model.empty()) write_model();
}

/// Warns if the model learned nothing, by the validation samples, otherwise by those held back in
/// the search, otherwise by the training samples.
void ClickTraining::warn_if_nothing_learnt() const {
  if (result_.validation) {
    robe::warn_if_nothing_learnt(learnt_figures(*result_.validation), "the validation samples");
  } else if (held_back_) {
    robe::warn_if_nothing_learnt(*held_back_, "the samples held back");
  } else if (result_.loss > 0) {
    robe::warn_if_nothing_learnt(
        {.log_loss = result_.loss, .of_share = result_.of_share, .samples = samples_->size()},
        "the training samples");
  }
}

void ClickTraining::write_model() {
  const double began = wall_seconds();
  Document document;
  robe::save_model(samples_->encoder(), *embedding_, *network_, document);
  write_trained_model(std::move(document), options_, options_.model, history_);
  result_.write_seconds = wall_seconds() - began;
}

}  // namespace frugal::robe
