#include "libcore/train/training_run.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <span>
#include <utility>

#include "libcore/base/error.h"
#include "libcore/base/log.h"
#include "libcore/base/text.h"
#include "libcore/system/clock.h"
#include "libcore/system/output_file.h"
#include "libcore/system/signals.h"
#include "libcore/train/checkpoint.h"

namespace frugal {

namespace {

/// Text of a state on which ranks must agree: "a checkpoint of step 20 and hash 5182...".
std::string state_text(const Document* state) {
  if (state == nullptr) return "no checkpoint";
  const auto step = state->metadata.find("frugal.step");
  return "a checkpoint of step " + (step == state->metadata.end() ? "0" : step->second) +
         " and hash " + content_hash(*state);
}

}  // namespace

RunCheckpoint::RunCheckpoint(const TrainerSettings& settings, const std::string& tool,
                             RunIdentity identity)
    : path_(settings.checkpoint), ranks_(settings.ranks), resume_(settings.resume) {
  if (path_.empty()) return;
  const bool is_first = settings.ranks == nullptr || settings.ranks->rank() == 0;
  file_.emplace(path_, tool, std::move(identity), is_first);
}

std::optional<Document> RunCheckpoint::load(const TensorPlaces& places) const {
  if (!file_ || !resume_) return std::nullopt;
  std::optional<Document> state = file_->load(places);
  if (ranks_ != nullptr && ranks_->size() > 1) {
    expect_agreement(*ranks_, state_text(state ? &*state : nullptr),
                     "give all ranks the checkpoint of rank 0, " + path_ +
                         ", or name a file on a disk that all machines share");
  }
  if (!state) log_info("no checkpoint at ", path_, " yet: training from the start");
  return state;
}

void RunCheckpoint::save(Document state) const {
  if (file_) file_->save(std::move(state));
}

namespace {

constexpr double kProgressSeconds = 0.2;

const std::string kBest = "best.";  ///< before the names of the best epoch's model

class TrainingRun {
 public:
  TrainingRun(Trainee& trainee, const RunSettings& settings, const RunContext& context)
      : trainee_(trainee), settings_(settings), context_(context) {}
  RunResult run(Document* state);

 private:
  void resume(Document& state);
  void check_position(const std::string& path) const;
  bool is_over() const;
  bool is_impatient() const;
  void train_epoch();
  bool goes_on(bool epoch_ended);
  void count(const TrainedPart& part);
  void finish_epoch();
  void validate(StepValues& values);
  void keep_best();
  void end();
  void log(const StepValues& values) const;
  void report_progress();
  void save_checkpoint();
  /// Whether `here` is true on any rank.
  bool any(bool here) const;
  /// The value of rank 0.
  double of_first(double value) const;

  Trainee& trainee_;
  const RunSettings& settings_;
  const RunContext& context_;
  RunPosition at_;
  std::unique_ptr<Document> best_;  ///< copy of the best epoch's model, if a worse epoch may follow
  bool suffices_ = false;
  double saving_seconds_ = 0;  ///< time spent on checkpoints in this epoch
  bool saved_ = false;         ///< the last step of this epoch is in a checkpoint
  RunFigures figures_;
};

RunResult TrainingRun::run(Document* state) {
  if (state != nullptr) {
    resume(*state);
  } else if (settings_.validate_start && trainee_.can_validate()) {
    StepValues ignored;
    validate(ignored);
  }
  context_.clock.checkpoint_was_written();
  while (!is_over()) {
    train_epoch();
    if (figures_.stopped || at_.step == 0) break;
    finish_epoch();
    if (!saved_ && any(context_.clock.out_of_time())) save_checkpoint();
  }
  if (!figures_.stopped && at_.step != 0) end();
  figures_.epochs = at_.epoch;
  figures_.best_epoch = settings_.keep_best && at_.has_best() ? at_.best_epoch : at_.epoch;
  figures_.best_validated_epoch = at_.has_best() ? at_.best_epoch : 0;
  figures_.steps = at_.step;
  figures_.loss = at_.loss;
  return {std::move(figures_), at_};
}

void TrainingRun::resume(Document& state) {
  const std::string& path = context_.checkpoint.path();
  at_ = RunPosition::load(state, path);
  check_position(path);
  best_ = nested_document(state, kBest);
  // A checkpoint written after the last epoch has the best epoch's model as its own.
  const bool is_best =
      at_.best_epoch == at_.epoch || at_.epoch >= settings_.epochs || is_impatient();
  if (settings_.keep_best && at_.has_best() && !is_best && !best_) {
    fail(ExitStatus::bad_input, path, ": train.best_epoch is ", at_.best_epoch,
         ", and there are no tensors '", kBest, "...' of it");
  }
  trainee_.resume(state, path);
  figures_.resumed_from = at_.step;
  if (context_.observer.log != nullptr) {
    context_.observer.log->resume_after(static_cast<std::int64_t>(at_.step));
  }
  log_info("going on from step ", at_.step);
}

/// Fails (bad_input) if a run with these settings cannot be at that position.
void TrainingRun::check_position(const std::string& path) const {
  const int most = settings_.epochs - (at_.began ? 1 : 0);
  if (at_.epoch > most) {
    fail(ExitStatus::bad_input, path, ": train.epoch is ", at_.epoch, ", expected at most ", most);
  }
  if (at_.began || trainee_.keeps_state_between_epochs()) return;
  fail(ExitStatus::bad_input, path, ": train.began is false, expected a position in an epoch");
}

/// Whether no further epoch begins. An epoch that has begun is always finished, even by a resumed
/// run with nothing left to train.
bool TrainingRun::is_over() const {
  if (at_.began) return false;
  if (at_.epoch >= settings_.epochs || suffices_) return true;
  return is_impatient() || at_.step >= settings_.steps || any(context_.clock.out_of_time());
}

/// Early stopping: whether the last `patience` epochs were not better than the best one.
bool TrainingRun::is_impatient() const {
  return settings_.patience > 0 && !at_.began && at_.validated_epoch == at_.epoch &&
         at_.epoch - at_.best_epoch >= settings_.patience;
}

/// Trains the rest of an epoch, until the limit of steps, the time limit, or a signal.
void TrainingRun::train_epoch() {
  const bool whole = !at_.began;
  const std::function<bool()> interrupted = [this] { return context_.clock.needs_attention(); };
  const double began = wall_seconds(), cpu = cpu_seconds();
  saving_seconds_ = 0;
  bool ended = at_.complete || at_.step >= settings_.steps;
  saved_ = ended;
  if (!ended) trainee_.begin_epoch(at_);
  while (!ended) {
    const TrainedPart part = trainee_.advance(at_, settings_.steps - at_.step, interrupted);
    count(part);
    ended = at_.complete || at_.step >= settings_.steps;
    if (ended || context_.clock.progress_is_due()) report_progress();
    if (!goes_on(ended)) break;
  }
  const double seconds = wall_seconds() - began - saving_seconds_;
  figures_.fit_seconds += seconds;
  figures_.fit_cpu_seconds += cpu_seconds() - cpu;
  if (whole && at_.complete) figures_.epoch_seconds.push_back(seconds);
}

/// Writes a checkpoint after a step if one is due. Returns false if the epoch must end here.
bool TrainingRun::goes_on(bool epoch_ended) {
  enum Asked : std::uint8_t { over_bit = 1, stop_bit = 2, checkpoint_bit = 4 };
  const auto bit = [](bool set, Asked flag) { return static_cast<unsigned>(set ? flag : 0); };
  RunClock& clock = context_.clock;
  const unsigned here = bit(clock.out_of_time(), over_bit) | bit(clock.is_stopped(), stop_bit) |
                        bit(clock.checkpoint_is_due(), checkpoint_bit);
  const unsigned asked = any_of_ranks(context_.ranks, static_cast<std::uint8_t>(here));
  const bool over = (asked & over_bit) != 0, due = (asked & checkpoint_bit) != 0;
  figures_.stopped = (asked & stop_bit) != 0;
  // A run that the time budget ends may be resumed with a larger one, even if the validation uses
  // up the budget.
  const bool last_chance =
      epoch_ended && context_.clock.has_budget() && !trainee_.keeps_state_between_epochs();
  saved_ = figures_.stopped || due || over || last_chance;
  if (saved_) save_checkpoint();
  return !over && !figures_.stopped;
}

void TrainingRun::count(const TrainedPart& part) {
  if (!(part.loss_sum < HUGE_VAL)) {
    fail(ExitStatus::bad_input, "the loss is not finite at step ", at_.step,
         "; lower --learning-rate");
  }
  at_.step += part.steps;
  at_.samples += part.samples;
  at_.loss_sum += part.loss_sum;
  at_.complete = part.epoch_ended;
  figures_.samples += part.samples;
  figures_.device_busy_seconds += part.device_busy_seconds;
  at_.began = true;
}

void TrainingRun::finish_epoch() {
  at_.loss = at_.mean_loss();
  at_.loss_sum = 0;
  at_.samples = 0;
  at_.began = at_.complete = false;
  ++at_.epoch;
  StepValues values = {{"epoch", trainee_.epochs_done(at_)},
                       {"loss", at_.loss},
                       {"fit_seconds", figures_.fit_seconds}};
  const double began = wall_seconds();
  trainee_.end_epoch(at_, values);
  figures_.eval_seconds += wall_seconds() - began;
  if (trainee_.can_validate() && at_.epoch % settings_.validate_every == 0) validate(values);
  log(values);
}

/// Validates the model and adds the metrics to `values`.
void TrainingRun::validate(StepValues& values) {
  const double began = wall_seconds();
  Scores scores = trainee_.validate(at_);
  // Ranks could get different scores: by another processor, or another file of that name.
  scores.score = of_first(scores.score);
  scores.loss = of_first(scores.loss);
  for (const auto& [name, value] : scores.values) values.emplace_back("validation_" + name, value);
  const bool best = !at_.has_best() || scores.score > at_.best_score ||
                    (scores.score == at_.best_score && scores.loss < at_.best_loss);
  at_.validated_epoch = at_.epoch;
  if (best) {
    at_.best_epoch = at_.epoch;
    at_.best_score = scores.score;
    at_.best_loss = scores.loss;
    keep_best();
  }
  suffices_ = of_first(trainee_.suffices(at_) ? 1 : 0) != 0;
  figures_.eval_seconds += wall_seconds() - began;
  if (context_.observer.validated) context_.observer.validated(at_, scores, best);
}

/// Copies the model, if an epoch may follow that makes it worse.
void TrainingRun::keep_best() {
  best_.reset();
  trainee_.keep_best();
  if (!settings_.keep_best) return;
  if (at_.epoch >= settings_.epochs || at_.step >= settings_.steps) return;
  Document model;
  trainee_.save_model(model);
  best_ = std::make_unique<Document>(model.clone());
}

/// Validates the last epoch, if it was not, and loads the best epoch's model.
void TrainingRun::end() {
  if (trainee_.can_validate() && at_.validated_epoch != at_.epoch) {
    StepValues values = {{"epoch", trainee_.epochs_done(at_)}, {"loss", at_.loss}};
    validate(values);
    log(values);
  }
  if (!best_ || at_.best_epoch == at_.epoch) return;
  trainee_.load_model(*best_, "the best epoch");
  trainee_.take_best();
  log_info("the model of epoch ", at_.best_epoch, " of ", at_.epoch, " validates best");
}

void TrainingRun::log(const StepValues& values) const {
  if (context_.observer.log == nullptr) return;
  context_.observer.log->step(static_cast<std::int64_t>(at_.step), values);
}

void TrainingRun::report_progress() {
  if (!context_.observer.progress || at_.samples == 0) return;
  context_.clock.progress_was_shown();
  context_.observer.progress(at_);
}

void TrainingRun::save_checkpoint() {
  context_.clock.checkpoint_was_written();
  if (!context_.checkpoint.exists()) return;
  trainee_.bring_together();
  if (context_.ranks.rank() != 0) return;
  const double began = wall_seconds();
  Document state;
  trainee_.save_state(state);
  trainee_.save_model(state);
  at_.save(state);
  if (best_) add_nested(state, kBest, *best_);
  context_.checkpoint.save(std::move(state));
  saving_seconds_ += wall_seconds() - began;
  report_progress();
  log_verbose("checkpoint written at step ", at_.step);
}

bool TrainingRun::any(bool here) const { return any_of_ranks(context_.ranks, here ? 1 : 0) != 0; }

double TrainingRun::of_first(double value) const {
  context_.ranks.broadcast(std::as_writable_bytes(std::span(&value, 1)), 0);
  return value;
}

}  // namespace

RunClock::RunClock(const TrainerSettings& settings)
    : stop_(stop_requested),
      began_(wall_seconds()),
      time_budget_(settings.time_budget > 0 ? settings.time_budget
                                            : std::numeric_limits<double>::infinity()),
      checkpoint_seconds_(settings.checkpoint.empty() ? std::numeric_limits<double>::infinity()
                                                      : settings.checkpoint_seconds),
      written_(began_) {}

RunClock::RunClock(std::function<bool()> stop) : RunClock(TrainerSettings{}) {
  stop_ = std::move(stop);
  is_trial_ = true;
}

double RunClock::seconds() const { return wall_seconds() - began_; }

bool RunClock::out_of_time(double share) const { return seconds() >= share * time_budget_; }

bool RunClock::has_budget() const { return std::isfinite(time_budget_); }

bool RunClock::progress_is_due() const {
  return !is_trial_ && wall_seconds() - shown_ >= kProgressSeconds;
}

void RunClock::progress_was_shown() { shown_ = wall_seconds(); }

bool RunClock::checkpoint_is_due() {
  if (is_trial_) return false;
  checkpoint_asked_ |= take_checkpoint_request();
  return checkpoint_asked_ || wall_seconds() - written_ >= checkpoint_seconds_;
}

void RunClock::checkpoint_was_written() {
  written_ = wall_seconds();
  checkpoint_asked_ = false;
}

bool RunClock::needs_attention() {
  return checkpoint_is_due() || is_stopped() || out_of_time() || progress_is_due();
}

RunResult run_training(Trainee& trainee, const RunSettings& settings, const RunContext& context,
                       Document* state) {
  return TrainingRun(trainee, settings, context).run(state);
}

RunResult run_trial(TrialTrainee& trainee, int epochs, const std::function<bool()>& stop,
                    Communicator* ranks) {
  RunSettings settings;
  settings.epochs = epochs;
  settings.keep_best = false;
  RunClock clock(stop);
  const auto alone = single_process();
  return run_training(trainee, settings, {clock, {}, ranks == nullptr ? *alone : *ranks, {}});
}

void check_outputs(const TrainerSettings& settings, const std::string& model) {
  for (const std::string& output : {model, settings.checkpoint}) {
    if (!output.empty()) check_output(output);
  }
}

void expect_steps(const RunFigures& result, const RunClock& clock) {
  if (result.steps != 0 || !clock.out_of_time()) return;
  fail(ExitStatus::usage, "--time-budget: ", format_seconds(clock.seconds()),
       " went by before the first step; raise it");
}

void write_trained_model(Document document, const TrainerSettings& settings,
                         const std::string& path, const std::string& history) {
  Metadata& m = document.metadata;
  m["frugal.config"] = settings.config;
  if (!history.empty()) m["frugal.history"] = history;
  append_history(m, settings.history_entry);
  m["frugal.seed"] = std::to_string(settings.seed);
  write_document(path, document);
}

}  // namespace frugal
