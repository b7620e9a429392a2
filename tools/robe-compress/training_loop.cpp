#include <algorithm>
#include <cmath>

#include "libcore/base/error.h"
#include "libcore/base/log.h"
#include "libcore/base/text.h"
#include "libcore/embedding/embedding_file.h"
#include "libcore/metrics/run_log.h"
#include "libcore/system/signals.h"
#include "tools/robe-compress/data/click_data.h"
#include "tools/robe-compress/evaluate.h"
#include "tools/robe-compress/training_run.h"

namespace frugal::robe {
namespace {

constexpr double kProgressSeconds = 0.2;

/// The log-loss of always predicting the share of clicks.
double share_loss(double positives, std::uint64_t samples) {
  const double p = positives / static_cast<double>(std::max<std::uint64_t>(1, samples));
  return p > 0 && p < 1 ? -(p * std::log(p) + (1 - p) * std::log1p(-p)) : 0;
}

}  // namespace

void TrainingRun::loop() {
  last_checkpoint_ = wall_seconds();
  while (at_.epoch < most_epochs() && !result_.stopped && trainer_->step() < total_steps() &&
         !out_of_time()) {
    train_epoch();
    const bool over = out_of_time();
    if (epoch_ended_ && over) save_checkpoint();
    if (epochs_suffice_ || over) break;
  }
  result_.steps = trainer_->step();
  result_.epochs = at_.epoch;
  result_.best_epoch = at_.best_epoch;
  if (result_.steps == 0 && out_of_time()) {
    fail(ExitStatus::usage, "--time-budget: ", format_seconds(wall_seconds() - began_),
         " went by before the first step; raise it");
  }
}

/// The rest of an epoch, with checkpoints where they are due.
void TrainingRun::train_epoch() {
  samples_->start_epoch(options_.seed, static_cast<std::uint64_t>(at_.epoch));
  if (at_.samples > 0) samples_->skip(at_.samples);
  epoch_ended_ = false;
  while (!epoch_ended_) {
    const double began = wall_seconds();
    const std::uint64_t left = total_steps() - trainer_->step();
    bool asked = false;
    trainer_->run(samples_->batches(), left, [&] { return asked = interrupted(); });
    result_.fit_seconds += wall_seconds() - began;
    const ClickTrainer::Progress progress = trainer_->take_progress();
    at_.loss_sum += progress.loss;
    at_.loss_samples += progress.samples;
    at_.positives += progress.positives;
    at_.samples += progress.samples;
    result_.trained_samples += progress.samples;
    epoch_ended_ = !asked;
    report_progress();
    if (epoch_ended_) break;
    const bool due =
        checkpoint_ && wall_seconds() - last_checkpoint_ >= options_.checkpoint_seconds;
    const bool over = out_of_time();
    if (stop_requested() || checkpoint_asked_ || due || over) save_checkpoint();
    if (stop_requested()) {
      result_.stopped = true;
      return;
    }
    if (over) break;
  }
  finish_epoch();
}

/// Asked after every batch: anything that the loop above must see to?
bool TrainingRun::interrupted() {
  checkpoint_asked_ |= take_checkpoint_request();
  const double now = wall_seconds();
  return checkpoint_asked_ || stop_requested() || now - last_progress_ >= kProgressSeconds ||
         out_of_time() || (checkpoint_ && now - last_checkpoint_ >= options_.checkpoint_seconds);
}

void TrainingRun::report_progress() {
  last_progress_ = wall_seconds();
  if (!observer_.progress || at_.loss_samples == 0) return;
  const std::uint64_t before = static_cast<std::uint64_t>(at_.epoch) * samples_->size();
  const std::string epoch =
      most_epochs() > 1 ? "epoch " + std::to_string(at_.epoch + 1) + ", " : "";
  observer_.progress(
      static_cast<double>(before + at_.samples),
      epoch + "loss " + format_number(at_.loss_sum / static_cast<double>(at_.loss_samples), 4));
}

void TrainingRun::finish_epoch() {
  ++at_.epoch;
  result_.loss = at_.loss_sum / static_cast<double>(std::max<std::uint64_t>(1, at_.loss_samples));
  StepValues values = {
      {"epoch", at_.epoch}, {"loss", result_.loss}, {"fit_seconds", result_.fit_seconds}};
  result_.of_share = share_loss(at_.positives, at_.loss_samples);
  if (samples_->data() == nullptr) warn_of_streamed_class();
  at_.loss_sum = at_.positives = 0;
  at_.loss_samples = at_.samples = 0;
  std::optional<BinaryMetrics> metrics = validate();
  if (metrics) {
    for (const auto& [name, value] : metric_values(*metrics)) {
      values.emplace_back("validation_" + name, value);
    }
    if (observer_.validated) observer_.validated(at_.epoch, *metrics);
    const bool better = metrics->log_loss() < at_.best_loss;
    if (better) {
      at_.best_loss = metrics->log_loss();
      at_.best_epoch = at_.epoch;
    }
    epochs_suffice_ = epochs_suffice(at_.epoch, at_.best_epoch, at_.best_loss, *metrics, patience_);
    if (better) {
      result_.validation = std::move(metrics);
      keep_best();
    }
  } else {
    at_.best_epoch = at_.epoch;
  }
  if (observer_.log != nullptr) {
    observer_.log->step(static_cast<std::int64_t>(trainer_->step()), values);
  }
}

/// The model that the run begins with is the best so far.
void TrainingRun::take_start() {
  result_.validation = validate();
  if (!result_.validation) return;
  at_.best_loss = result_.validation->log_loss();
  if (observer_.validated) observer_.validated(0, *result_.validation);
  keep_best();
}

/// A copy of the model, where an epoch may follow that makes it worse.
void TrainingRun::keep_best() {
  at_.best.reset();
  if (at_.epoch >= most_epochs()) return;
  Document model;
  embedding_->save(model);
  network_->save(model);
  at_.best = std::make_unique<Document>(model.clone());
}

void TrainingRun::save_checkpoint() {
  last_checkpoint_ = wall_seconds();
  checkpoint_asked_ = false;
  if (!checkpoint_) return;
  Document state;
  embedding_->save(state);
  embedding_->save_state(state);
  network_->save(state);
  network_->save_state(state);
  at_.step = trainer_->step();
  at_.save(state);
  checkpoint_->save(std::move(state));
  log_verbose("checkpoint written at step ", trainer_->step());
}

/// Takes the best epoch's model and rounds it as it will be stored.
void TrainingRun::finish_model() {
  trainer_.reset();
  if (at_.best && at_.best_epoch != at_.epoch) {
    embedding_ = load_embedding(*at_.best, "the best epoch");
    network_ = load_network(*at_.best, "the best epoch", options_.network.precision);
    log_info("the model of epoch ", at_.best_epoch, " of ", at_.epoch, " validates best");
  }
  at_.best.reset();
  const std::uint64_t bytes = embedding_->num_bytes();
  round_to_storage(embedding_, options_.embedding);
  result_.facts.embedding_bytes = embedding_->num_bytes();
  // A resumed run knows only the loss of an epoch before.
  if (embedding_->num_bytes() != bytes || !result_.validation) result_.validation = validate();
  warn_if_nothing_learnt();
  if (!options_.test.empty()) result_.test = evaluate_file(options_.test);
  if (!options_.model.empty()) write_model();
}

/// Of the validation samples, else of those held back in the search, else of those trained on.
void TrainingRun::warn_if_nothing_learnt() const {
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

void TrainingRun::write_model() {
  const double began = wall_seconds();
  Document document;
  save_model(samples_->encoder(), *embedding_, *network_, document);
  document.metadata["frugal.config"] = options_.config;
  if (!history_.empty()) document.metadata["frugal.history"] = history_;
  append_history(document.metadata, options_.history_entry);
  document.metadata["frugal.seed"] = std::to_string(options_.seed);
  TensorWriteOptions write;
  write.if_changed = options_.if_changed;
  write_document(options_.model, document, write);
  result_.write_seconds = wall_seconds() - began;
}

}  // namespace frugal::robe
