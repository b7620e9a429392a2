#include "tools/tgn-train/train.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "libcore/base/error.h"
#include "libcore/base/log.h"
#include "libcore/base/text.h"
#include "libcore/metrics/run_log.h"
#include "libcore/nn/checkpoint.h"
#include "libcore/system/clock.h"
#include "libcore/system/output_file.h"
#include "libcore/system/signals.h"
#include "tools/tgn-train/data/stream_fingerprint.h"
#include "tools/tgn-train/epoch_validation.h"
#include "tools/tgn-train/link_evaluation.h"
#include "tools/tgn-train/model_file.h"
#include "tools/tgn-train/steps_ahead.h"
#include "tools/tgn-train/train_identity.h"
#include "tools/tgn-train/train_position.h"

namespace frugal::tgn {
namespace {

constexpr double kProgressSeconds = 0.2;
constexpr std::size_t kPassedAtOnce = 65536;
/// A layer that is large.
constexpr std::size_t kWide = 172;
/// Streams of random numbers: negatives of training, one an epoch.
constexpr std::uint64_t kNegatives = 0x54524e00;
/// That of neighbours that are drawn, one an epoch.
constexpr std::uint64_t kDraws = 0x4e424e00;

/// The run of one training: stream, model, and the loop over steps, validations and checkpoints.
class TrainingRun {
 public:
  TrainingRun(const TrainOptions& options, const TrainObserver& observer)
      : options_(options), observer_(observer), began_(wall_seconds()) {}
  TrainResult run();

 private:
  void read_events();
  void warn_of_held_out() const;
  void make_model();
  void begin_or_resume();
  void begin_epoch();
  void train_epoch();
  void train_on(const PlannedStep& step);
  void finish_epoch();
  void validate(EventId from);
  void use_best_epoch();
  void test();
  void see_to_requests(StepsAhead& steps);
  void save_checkpoint();
  void report_progress();
  void write_model();
  bool out_of_time() const {
    return options_.time_budget > 0 && wall_seconds() - began_ >= options_.time_budget;
  }
  bool ends() const {
    return result_.stopped || out_of_time() || (options_.steps != 0 && at_.step >= options_.steps);
  }

  TrainOptions options_;
  const TrainObserver& observer_;
  double began_;
  std::unique_ptr<LinkData> data_;
  std::unique_ptr<UniformNegative> negatives_;
  std::unique_ptr<EvaluationNegatives> evaluation_negatives_;
  StoredTgn stored_;
  std::unique_ptr<StreamSession> session_;
  std::unique_ptr<EpochValidation> validation_;  ///< null where nothing is evaluated
  std::unique_ptr<CheckpointFile> checkpoint_;
  TrainPosition at_;
  double last_progress_ = 0, last_checkpoint_ = 0;
  TrainResult result_;
};

TrainResult TrainingRun::run() {
  if (!options_.model.empty()) check_output(options_.model);
  if (!options_.checkpoint.empty()) check_output(options_.checkpoint);
  read_events();
  make_model();
  begin_or_resume();
  if (observer_.begun) observer_.begun(result_.facts);
  last_checkpoint_ = wall_seconds();
  const auto patient = [this] {
    return options_.patience == 0 || !validation_ ||
           at_.epoch - validation_->best().number() < options_.patience;
  };
  // An epoch that was begun is finished, also where a run goes on that has nothing left to train.
  while (at_.epoch < options_.epochs && patient() && (at_.in_epoch.next != 0 || !ends())) {
    train_epoch();
    if (result_.stopped || at_.step == 0) break;
    finish_epoch();
  }
  result_.steps = at_.step;
  result_.epochs = at_.epoch;
  result_.loss = at_.loss;
  if (result_.stopped) return std::move(result_);
  if (at_.step == 0) {
    fail(ExitStatus::usage, "--time-budget: ", format_seconds(wall_seconds() - began_),
         " went by before the first step; raise it");
  }
  if (validation_) use_best_epoch();
  if (!options_.model.empty()) write_model();
  if (validation_) test();
  return std::move(result_);
}

void TrainingRun::read_events() {
  const double began = wall_seconds();
  data_ = std::make_unique<LinkData>(options_.events, options_.split);
  const EventView events = data_->events();
  const EventSplit& split = data_->split();
  negatives_ = std::make_unique<UniformNegative>(
      distinct_destinations(events, [this](EventId event) { return data_->trains(event); }),
      options_.seed);
  if (options_.evaluates) {
    evaluation_negatives_ =
        std::make_unique<EvaluationNegatives>(events, data_->parts(), options_.split.seed);
  }
  TrainFacts& f = result_.facts;
  f.nodes = events.num_nodes;
  f.events = events.size();
  f.edge_features = data_->stream().edge_features().dim;
  f.train_events = split.num_events(EventPart::train);
  f.valid_events = split.num_events(EventPart::valid);
  f.test_events = split.num_events(EventPart::test);
  f.new_valid_events = split.num_new_node_events(EventPart::valid);
  f.new_test_events = split.num_new_node_events(EventPart::test);
  warn_of_held_out();
  result_.read_seconds = wall_seconds() - began;
}

/// A tenth of the nodes may have most of the events.
void TrainingRun::warn_of_held_out() const {
  constexpr double kMuch = 0.2;
  const double all = data_->split().end(EventPart::train);
  const double out = all - static_cast<double>(result_.facts.train_events);
  if (out <= kMuch * all) return;
  log_warning("--new-nodes ", format_number(options_.split.new_nodes), " keeps ",
              static_cast<std::uint64_t>(out), " of the ", static_cast<std::uint64_t>(all),
              " events of the training part out of training (", format_number(100 * out / all, 2),
              " %), those of the nodes to be tested as new ones; --new-nodes 0 trains on all");
}

void TrainingRun::make_model() {
  TgnInputs inputs;
  inputs.edge_features = data_->stream().edge_features().dim;
  inputs.node_features = !data_->stream().node_features().empty();
  if (inputs.node_features && data_->stream().node_features().dim != options_.network.memory_dim) {
    fail(ExitStatus::usage, options_.events, ": nodes have ", data_->stream().node_features().dim,
         " features, which are added to their memory: set --memory-dim to as many");
  }
  stored_.session = {
      options_.mode, options_.refresh, options_.memory_dtype, {}, options_.place, {}};
  if (options_.pair_features) {
    const EventView events = data_->events();
    stored_.session.pairs = pair_options_for(events.times, data_->split().end(EventPart::train));
    inputs.pair_features = stored_.session.pairs->num_features();
  }
  stored_.model = std::make_unique<TgnModel>(options_.network, inputs);
  stored_.model->randomize(options_.seed);
  OptimizerOptions optimizer;
  optimizer.kind = OptimizerKind::adam;
  optimizer.corrected_epsilon = true;
  // Where products are in bf16, what optimiser steps move is half of the work of small batches.
  optimizer.half_moments =
      product_precision(options_.network.precision, kWide, kWide) == Precision::bf16;
  stored_.model->prepare_training(optimizer);
  if (options_.network.embedding == EmbeddingKind::time) {
    stored_.session.time_shift =
        measure_time_shift(data_->events(), [this](EventId event) { return data_->trains(event); });
  }
  stored_.split = options_.split;
  stored_.batch = options_.batch;
  stored_.window = options_.memory_window();
  result_.facts.parameters = stored_.model->num_parameters();
  session_ =
      std::make_unique<StreamSession>(*stored_.model, data_->events(), data_->training_neighbors(),
                                      data_->features(), stored_.session);
  if (!options_.evaluates) return;
  validation_ = std::make_unique<EpochValidation>(
      *data_, *evaluation_negatives_, *session_,
      EpochValidation::Options{options_.weights_only, stored_.window, options_.eval_batch});
}

void TrainingRun::begin_or_resume() {
  if (options_.checkpoint.empty()) return;
  checkpoint_ = std::make_unique<CheckpointFile>(
      options_.checkpoint, "tgn-train",
      RunIdentity{{"configuration", training_text(options_)},
                  {"events", stream_fingerprint(data_->stream())}});
  if (!options_.resume) return;
  TensorPlaces places = session_->places();
  if (validation_) places.merge(validation_->best().places());
  const std::optional<Document> state = checkpoint_->load(places);
  if (!state) {
    log_info("no checkpoint at ", options_.checkpoint, " yet: training from the start");
    return;
  }
  stored_.model->load(*state, options_.checkpoint);
  stored_.model->load_state(*state, options_.checkpoint);
  session_->load(*state, options_.checkpoint);
  if (validation_) validation_->best().load(*state, options_.checkpoint);
  at_ = TrainPosition::load(*state, options_.checkpoint);
  result_.resumed_from = at_.step;
  if (observer_.log != nullptr) observer_.log->resume_after(static_cast<std::int64_t>(at_.step));
  log_info("going on from step ", at_.step);
}

void TrainingRun::begin_epoch() {
  session_->restart(Weights::learn);
  if (options_.skip == 0) return;
  if (options_.skip >= data_->split().end(EventPart::train)) {
    fail(ExitStatus::usage, "--skip-events ", options_.skip, ": training has the first ",
         format_count(data_->split().end(EventPart::train), "event"), ", expected fewer");
  }
  const auto end = static_cast<EventId>(options_.skip);
  std::vector<EventId> events;
  for (EventId event = 0; event < end; ++event) {
    if (data_->trains(event)) events.push_back(event);
    if (events.size() < kPassedAtOnce && event + 1 < end) continue;
    session_->planner().pass(events);
    events.clear();
  }
  session_->clear_memory();
  at_.in_epoch = {end, end, 0};
}

void TrainingRun::train_epoch() {
  const bool whole = at_.in_epoch.next == 0;
  if (whole) begin_epoch();
  session_->planner().use(data_->training_neighbors());
  session_->planner().draw_by(
      hash_combine(options_.seed, kDraws + static_cast<std::uint64_t>(at_.epoch)));
  const double began = wall_seconds(), cpu = cpu_seconds();
  StepsAhead steps(*data_, *session_, *negatives_,
                   kNegatives + static_cast<std::uint64_t>(at_.epoch),
                   {options_.batch, options_.memory_window(), options_.ties}, at_.in_epoch);
  bool at_end = false;
  while (!ends()) {
    const PlannedStep* const step = steps.next();
    at_end = step == nullptr;
    if (at_end) break;
    train_on(*step);
    report_progress();
    see_to_requests(steps);
  }
  steps.rewind();
  // More time can be given. It may go by in the validation, after which the memory is another's.
  const bool may_be_over = out_of_time() || (at_end && options_.time_budget > 0);
  if (!result_.stopped && at_.step != 0 && may_be_over) save_checkpoint();
  result_.plan_seconds += steps.waiting_seconds();
  const double seconds = wall_seconds() - began;
  result_.fit_seconds += seconds;
  result_.fit_cpu_seconds += cpu_seconds() - cpu;
  if (whole && at_end) result_.epoch_seconds.push_back(seconds);
}

void TrainingRun::train_on(const PlannedStep& step) {
  session_->runner().embed(step.plan, {true, options_.seed, at_.step});
  // Messages are kept as the step's parameters make them, not those behind it.
  session_->runner().store(step.plan);
  at_.in_epoch = step.behind;
  if (step.events.empty()) return;
  const double loss = stored_.model->train_links(step.plan, data_->features(),
                                                 static_cast<float>(options_.learning_rate));
  if (!(loss < HUGE_VAL)) {
    fail(ExitStatus::bad_input, "the loss is not finite at step ", at_.step,
         "; lower --learning-rate");
  }
  at_.loss_sum += loss * static_cast<double>(step.events.size());
  at_.loss_events += step.events.size();
  result_.trained_events += step.events.size();
  ++at_.step;
}

void TrainingRun::finish_epoch() {
  const EventId from = at_.in_epoch.window;
  ++at_.epoch;
  at_.loss = at_.mean_loss();
  at_.loss_sum = 0;
  at_.loss_events = 0;
  at_.in_epoch = {};
  const double began = wall_seconds();
  if (validation_) {
    validate(from);
  } else if (!options_.model.empty() && !options_.weights_only) {
    session_->settle();
    learn_training(*data_, *session_, from, stored_.window);
  }
  result_.eval_seconds += wall_seconds() - began;
}

void TrainingRun::validate(EventId from) {
  const MetricValues values = validation_->validate(at_.epoch, from).values();
  if (observer_.log != nullptr) {
    StepValues logged = {
        {"epoch", at_.epoch}, {"loss", at_.loss}, {"fit_seconds", result_.fit_seconds}};
    for (const auto& [name, value] : values) logged.emplace_back("validation_" + name, value);
    observer_.log->step(static_cast<std::int64_t>(at_.step), logged);
  }
  if (observer_.validated) observer_.validated(at_.epoch, at_.loss, values);
}

void TrainingRun::use_best_epoch() {
  const BestEpoch& best = validation_->best();
  result_.best_epoch = best.number();
  if (best.number() != at_.epoch) {
    log_info("the model of epoch ", best.number(), " of ", at_.epoch, " validates best");
  }
  const double began = wall_seconds();
  validation_->use_best();
  result_.eval_seconds += wall_seconds() - began;
}

void TrainingRun::test() {
  const double began = wall_seconds();
  const RankSource source(options_.ranks, *data_);
  result_.tests = test_links(*data_, *evaluation_negatives_, *session_, source.ranks(),
                             {options_.eval_batch, Ties::strict, nullptr});
  result_.eval_seconds += wall_seconds() - began;
}

void TrainingRun::see_to_requests(StepsAhead& steps) {
  const bool due = wall_seconds() - last_checkpoint_ >= options_.checkpoint_seconds;
  if (take_checkpoint_request() || stop_requested() || due) {
    steps.rewind();
    save_checkpoint();
  }
  result_.stopped = stop_requested();
}

void TrainingRun::save_checkpoint() {
  last_checkpoint_ = wall_seconds();
  if (!checkpoint_) return;
  Document state;
  stored_.model->save(state);
  stored_.model->save_state(state);
  session_->save(state);
  if (validation_) validation_->best().save(state);
  at_.save(state);
  checkpoint_->save(std::move(state));
  log_verbose("checkpoint written at step ", at_.step);
}

void TrainingRun::report_progress() {
  if (!observer_.progress || wall_seconds() - last_progress_ < kProgressSeconds) return;
  last_progress_ = wall_seconds();
  const double share = static_cast<double>(at_.in_epoch.next) /
                       static_cast<double>(data_->split().end(EventPart::train));
  observer_.progress(at_.epoch + share, "loss " + format_number(at_.mean_loss(), 4));
}

void TrainingRun::write_model() {
  if (!options_.weights_only) {
    stored_.trained =
        TrainedMemory::of(data_->stream(), data_->split().end(EventPart::train), *session_);
  }
  Document document;
  save_model(stored_, document);
  document.metadata["frugal.config"] = options_.config;
  document.metadata["frugal.history"] = "[" + options_.history_entry + "]";
  document.metadata["frugal.seed"] = std::to_string(options_.seed);
  TensorWriteOptions write;
  write.if_changed = options_.if_changed;
  write_document(options_.model, document, write);
}

}  // namespace

TrainResult train(const TrainOptions& options, const TrainObserver& observer) {
  return TrainingRun(options, observer).run();
}

}  // namespace frugal::tgn
