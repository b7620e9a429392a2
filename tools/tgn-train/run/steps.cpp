// The steps and epochs of a training, and what its checkpoints have.
#include <algorithm>
#include <cmath>

#include "libcore/base/text.h"
#include "libcore/nn/schedule.h"
#include "tools/tgn-train/run/training.h"

namespace frugal::tgn {

void TgnTraining::report_progress(const RunPosition& at) const {
  if (!observer_.progress) return;
  const std::size_t range = copy_ ? 0 : copies_->range(static_cast<std::size_t>(at.epoch));
  const double begin = range == 0 ? 0 : ranges_->begin(range);
  const double end = std::min(ranges_->end(range), data_->split().end(EventPart::train));
  const double share = ((copy_ ? copy_->at() : copies_->at()).next - begin) / (end - begin);
  observer_.progress(at.epoch + share, "loss " + format_number(at.mean_loss(), 4));
}

void TgnTraining::begin_epoch(const RunPosition& at) {
  if (copies_) return copies_->begin_epoch(at);
  if (!at.began) copy_->restart(ranges_->begin(0));
  copy_->begin_epoch(static_cast<std::size_t>(at.epoch), kNoEvent);
}

/// Learning rate of a step with that many events. The schedule runs over the training events of all
/// epochs, because the number of steps is not known beforehand.
float TgnTraining::rate_at(const RunPosition& at, std::size_t events) const {
  const std::uint64_t per_epoch = result_.facts.train_events;
  std::uint64_t total = per_epoch * static_cast<std::uint64_t>(options_.epochs);
  if (options_.steps != 0)
    total = std::min(total, options_.steps * options_.batch * ranges_->count());
  const Schedule schedule{schedule_from_name(options_.schedule), options_.learning_rate};
  const std::uint64_t done = per_epoch * static_cast<std::uint64_t>(at.epoch) + at.samples + events;
  return static_cast<float>(schedule.over(total, options_.warm_up).rate(done - 1));
}

/// Runs the next step and adds it to the part. A step without training events only moves the
/// memory. Returns false at the end of the epoch, or when the loss is not finite.
bool TgnTraining::train_step(const RunPosition& at, TrainedPart& part) {
  const PlannedStep* const step = copy_->next();
  part.epoch_ended = step == nullptr;
  if (step == nullptr) return false;
  StepRunner& runner = session_->runner();
  if (step->events.empty()) {
    runner.learn(step->plan);
    return true;
  }
  part.samples += step->events.size();
  part.loss_sum += runner.train(step->plan, {true, options_.seed, at.step + part.steps},
                                rate_at(at, part.samples));
  ++part.steps;
  return std::isfinite(part.loss_sum);
}

/// A step of all copies.
TrainedPart TgnTraining::joint_step(const RunPosition& at) {
  const MemoryCopies::Figures figures = copies_->backward(at);
  const bool steps = figures.batches != 0 && std::isfinite(figures.loss_sum);
  if (steps) copies_->step(figures, rate_at(at, figures.events));
  return {figures.batches != 0 ? 1U : 0U, figures.events, figures.loss_sum, figures.batches == 0};
}

/// A step of a memory that ranks share.
TrainedPart TgnTraining::shared_step(const RunPosition& at) {
  if (whole_) whole_->clear();  // which a checkpoint needed
  const PlannedStep* const step = copy_->next();
  if (step == nullptr) return {0, 0, 0, true};
  if (step->events.empty()) {
    session_->runner().learn(step->plan);
    return {};
  }
  const double loss = shared_->backward(*step, at.step);
  if (std::isfinite(loss)) shared_->step(rate_at(at, step->events.size()));
  return {1, step->events.size(), loss, false};
}

/// One step, or as many as a device can be given without being waited for.
TrainedPart TgnTraining::advance(const RunPosition& at, std::uint64_t most,
                                 const std::function<bool()>& interrupted) {
  if (copies_) return joint_step(at);
  if (shared_) return shared_step(at);
  TrainedPart part;
  const double busy = session_->runner().busy_seconds();
  const bool many = session_->runner().is_on_device();
  while (train_step(at, part) && many && part.steps < most && !interrupted()) {
  }
  part.loss_sum += session_->runner().collect();
  part.device_busy_seconds = session_->runner().busy_seconds() - busy;
  return part;
}

void TgnTraining::end_epoch(const RunPosition& at, StepValues&) {
  if (copies_) return end_joint_epoch(static_cast<std::size_t>(at.epoch) - 1);
  result_.plan_seconds += copy_->end_epoch();
  if (validation_) {
    validation_->make_memory(copy_->at().window);
  } else if (writes_model_ && !options_.weights_only) {
    session_->settle();
    learn_training(*data_, *session_, copy_->at().window, stored_.window);
  }
}

/// The first rank gets the memory that training has left, once a copy has come through all ranges.
void TgnTraining::end_joint_epoch(std::size_t epoch) {
  result_.plan_seconds += copies_->end_epoch();
  has_memory_ = ranges_->is_whole(epoch) && !options_.weights_only;
  if (has_memory_) {
    const Document state = copies_->last_state(epoch, stored_.window);
    if (!is_first()) return;
    session_->restart(Weights::fixed);
    session_->load(state, "the last copy of the memory");
  } else if (validation_) {
    validation_->make_memory_anew();
  }
}

void TgnTraining::save_model(Document& document) const {
  if (session_) session_->bring_model_back();
  stored_.model->save(document);
}

void TgnTraining::load_model(Document& document, const std::string& place) {
  stored_.model->load(document, place);
  if (session_) session_->model_changed();
}

/// The others have the first rank's score.
Scores TgnTraining::validate(const RunPosition&) {
  Scores scores;
  if (validation_) {
    const LinkMetrics metrics =
        validation_->validate(validation_ranks_ ? validation_ranks_->ranks().valid : nullptr);
    scores = {metrics.values(), options_.select_mrr ? metrics.mrr() : metrics.ap_batch(), 0};
  }
  ranks_.broadcast(std::as_writable_bytes(std::span(&scores.score, 1)), 0);
  return scores;
}

void TgnTraining::bring_together() {
  if (copies_) copies_->bring_together();
  if (!whole_) return;
  gather_memory();
  const NodeMemory* const best = validation_ ? validation_->best_memory() : nullptr;
  if (best != nullptr && validation_->has_best()) whole_->gather(kBestMemoryTensor, *best);
}

/// Gathers the memory of all nodes on the first rank, for a file.
void TgnTraining::gather_memory() { whole_->gather(kMemoryTensor, *session_->memory()); }

/// Saves the state of training. Undoes what was planned ahead, so that the session is right after
/// the last step.
void TgnTraining::save_state(Document& state) {
  result_.has_checkpoint = true;
  if (session_) session_->bring_model_back();
  stored_.model->save_state(state);
  copies_ ? copies_->save(state) : copy_->save(state);
  if (validation_) validation_->save(state);
  if (whole_) whole_->lend(state);
}

void TgnTraining::resume(Document& state, const std::string& path) {
  result_.has_checkpoint = true;
  stored_.model->load(state, path);
  stored_.model->load_state(state, path);
  if (session_) session_->model_changed();
  if (whole_) {
    whole_->take_share(kMemoryTensor, state, path, *session_->memory());
    NodeMemory* const best = validation_ ? validation_->best_memory() : nullptr;
    if (best != nullptr) whole_->take_share(kBestMemoryTensor, state, path, *best);
    whole_->clear();
  }
  copies_ ? copies_->load(state, path) : copy_->load(state, path);
  if (validation_) validation_->load(state, path);
}

}  // namespace frugal::tgn
