#include "tools/tgn-train/train.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "libcore/base/error.h"
#include "libcore/base/log.h"
#include "libcore/base/text.h"
#include "libcore/nn/schedule.h"
#include "libcore/system/clock.h"
#include "libcore/train/training_run.h"
#include "tools/tgn-train/data/stream_fingerprint.h"
#include "tools/tgn-train/epoch_validation.h"
#include "tools/tgn-train/link_evaluation.h"
#include "tools/tgn-train/model_file.h"
#include "tools/tgn-train/steps_ahead.h"
#include "tools/tgn-train/train_fields.h"

namespace frugal::tgn {
namespace {

constexpr std::size_t kPassedAtOnce = 65536;
/// A layer that is large.
constexpr std::size_t kWide = 172;
/// Streams of random numbers: negatives of training, one an epoch.
constexpr std::uint64_t kNegatives = 0x54524e00;
/// That of neighbours that are drawn, one an epoch.
constexpr std::uint64_t kDraws = 0x4e424e00;

/// The training of one model: stream, network and memory, and how they step, score and are kept.
class TgnTraining final : public Trainee {
 public:
  TgnTraining(const TrainOptions& options, const TrainObserver& observer)
      : options_(options), observer_(observer), clock_(options) {}
  TrainResult run();

  void begin_epoch(const RunPosition& at) override;
  TrainedPart advance(const RunPosition& at, std::uint64_t most,
                      const std::function<bool()>& interrupted) override;
  void end_epoch(const RunPosition& at, StepValues& values) override;
  bool can_validate() const override { return validation_ != nullptr; }
  Scores validate(const RunPosition& at) override;
  void save_model(Document& document) const override;
  void load_model(Document& document, const std::string& place) override;
  void keep_best() override { validation_->keep_best(); }
  void take_best() override { validation_->take_best(); }
  void save_state(Document& state) override;
  bool keeps_state_between_epochs() const override { return false; }
  void resume(Document& state, const std::string& path) override;

 private:
  void read_events();
  void warn_of_held_out() const;
  void make_model();
  void make_session();
  void prepare_steps();
  RunCheckpoint open_checkpoint() const;
  TensorPlaces checkpoint_places();
  RunSettings run_settings() const;
  RunObserver run_observer();
  void report_progress(const RunPosition& at) const;
  void restart_stream();
  bool train_step(const RunPosition& at, TrainedPart& part);
  float rate_at(const RunPosition& at, std::size_t events) const;
  void test();
  void write_model();

  TrainOptions options_;
  const TrainObserver& observer_;
  RunClock clock_;
  std::unique_ptr<Communicator> ranks_ = single_process();
  std::unique_ptr<LinkData> data_;
  std::unique_ptr<UniformNegative> negatives_;
  std::unique_ptr<EvaluationNegatives> evaluation_negatives_;
  StoredTgn stored_;
  std::unique_ptr<StreamSession> session_;
  std::unique_ptr<EpochValidation> validation_;  ///< null where nothing is evaluated
  std::unique_ptr<StepsAhead> steps_;            ///< of the epoch
  EpochPosition in_epoch_;
  TrainResult result_;
};

TrainResult TgnTraining::run() {
  check_outputs(options_, options_.model);
  read_events();
  make_model();
  make_session();
  prepare_steps();
  const RunCheckpoint checkpoint = open_checkpoint();
  std::optional<Document> state = checkpoint.load(checkpoint_places());
  if (observer_.begun) observer_.begun(result_.facts);
  const RunObserver observer = run_observer();
  RunFigures& figures = result_;
  figures = run_training(*this, run_settings(), {clock_, checkpoint, *ranks_, observer},
                         state ? &*state : nullptr)
                .figures;
  if (result_.stopped) return std::move(result_);
  expect_steps(result_, clock_);
  if (!options_.model.empty()) write_model();
  if (validation_) test();
  return std::move(result_);
}

void TgnTraining::read_events() {
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
void TgnTraining::warn_of_held_out() const {
  constexpr double kMuch = 0.2;
  const double all = data_->split().end(EventPart::train);
  const double out = all - static_cast<double>(result_.facts.train_events);
  if (out <= kMuch * all) return;
  log_warning("--new-nodes ", format_number(options_.split.new_nodes), " keeps ",
              static_cast<std::uint64_t>(out), " of the ", static_cast<std::uint64_t>(all),
              " events of the training part out of training (", format_number(100 * out / all, 2),
              " %), those of the nodes to be tested as new ones; --new-nodes 0 trains on all");
}

void TgnTraining::make_model() {
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
  if (options_.network.embedding == EmbeddingKind::time) {
    stored_.session.time_shift =
        measure_time_shift(data_->events(), [this](EventId event) { return data_->trains(event); });
  }
  stored_.architecture = options_.architecture;
  stored_.split = options_.split;
  stored_.batch = options_.batch;
  stored_.window = options_.memory_window();
  result_.facts.parameters = stored_.model->num_parameters();
}

void TgnTraining::make_session() {
  session_ =
      std::make_unique<StreamSession>(*stored_.model, data_->events(), data_->training_neighbors(),
                                      data_->features(), stored_.session);
  if (!options_.evaluates) return;
  validation_ = std::make_unique<EpochValidation>(
      *data_, *evaluation_negatives_, *session_,
      EpochValidation::Options{options_.weights_only, stored_.window, options_.eval_batch});
}

/// On the CPU or on a device.
void TgnTraining::prepare_steps() {
  OptimizerOptions optimizer;
  optimizer.kind = optimizer_from_name(options_.optimizer);
  optimizer.corrected_epsilon = true;
  optimizer.weight_decay = options_.weight_decay;
  const bool on_device =
      session_->compute_on({options_.device, "tgn-train train", options_.batch}, optimizer);
  // Where products are in bf16, what optimiser steps move is half of the work of small batches.
  optimizer.half_moments =
      !on_device && optimizer.weight_decay == 0 &&
      product_precision(options_.network.precision, kWide, kWide) == Precision::bf16;
  stored_.model->prepare_training(optimizer);
  stored_.model->join(*ranks_);
}

RunCheckpoint TgnTraining::open_checkpoint() const {
  if (options_.checkpoint.empty()) return {};
  return {options_,
          "tgn-train",
          {training_options(options_), {{"events", stream_fingerprint(data_->stream())}}}};
}

/// Memory is large, and read where it is used.
TensorPlaces TgnTraining::checkpoint_places() {
  TensorPlaces places = session_->places();
  if (validation_) places.merge(validation_->places());
  return places;
}

RunSettings TgnTraining::run_settings() const {
  RunSettings settings;
  settings.epochs = options_.epochs;
  if (options_.steps != 0) settings.steps = options_.steps;
  settings.patience = options_.patience;
  return settings;
}

RunObserver TgnTraining::run_observer() {
  RunObserver observer;
  observer.log = observer_.log;
  observer.progress = [this](const RunPosition& at) { report_progress(at); };
  observer.validated = [this](const RunPosition& at, const Scores& scores, bool) {
    if (observer_.validated) observer_.validated(at.epoch, at.loss, scores.values);
  };
  return observer;
}

void TgnTraining::report_progress(const RunPosition& at) const {
  if (!observer_.progress) return;
  const double share = static_cast<double>(in_epoch_.next) /
                       static_cast<double>(data_->split().end(EventPart::train));
  observer_.progress(at.epoch + share, "loss " + format_number(at.mean_loss(), 4));
}

/// Brings the stream to where training begins in it.
void TgnTraining::restart_stream() {
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
  in_epoch_ = {end, end, 0};
}

void TgnTraining::begin_epoch(const RunPosition& at) {
  const auto epoch = static_cast<std::uint64_t>(at.epoch);
  if (in_epoch_.next == 0) restart_stream();
  session_->planner().use(data_->training_neighbors());
  session_->planner().draw_by(hash_combine(options_.seed, kDraws + epoch));
  const StepsAhead::Sizes sizes{options_.batch, options_.memory_window(), options_.ties};
  steps_ = std::make_unique<StepsAhead>(*data_, *session_, *negatives_, kNegatives + epoch, sizes,
                                        in_epoch_);
}

/// Of a step of so many events. The schedule goes by the events trained on, of those of all epochs:
/// how many steps they make is not known before.
float TgnTraining::rate_at(const RunPosition& at, std::size_t events) const {
  const std::uint64_t per_epoch = result_.facts.train_events;
  std::uint64_t total = per_epoch * static_cast<std::uint64_t>(options_.epochs);
  if (options_.steps != 0) total = std::min(total, options_.steps * options_.batch);
  const Schedule schedule{schedule_from_name(options_.schedule), options_.learning_rate};
  const std::uint64_t done = per_epoch * static_cast<std::uint64_t>(at.epoch) + at.samples + events;
  return static_cast<float>(schedule.over(total, options_.warm_up).rate(done - 1));
}

/// A step behind those of the part, to which it is added; it trains nothing where none of its
/// events does. False: it would tell of no more.
bool TgnTraining::train_step(const RunPosition& at, TrainedPart& part) {
  const PlannedStep* const step = steps_->next();
  part.epoch_ended = step == nullptr;
  if (step == nullptr) return false;
  in_epoch_ = step->behind;
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

/// One step, or as many as a device can be given without being waited for.
TrainedPart TgnTraining::advance(const RunPosition& at, std::uint64_t most,
                                 const std::function<bool()>& interrupted) {
  TrainedPart part;
  const bool many = session_->runner().is_on_device();
  while (train_step(at, part) && many && part.steps < most && !interrupted()) {
  }
  part.loss_sum += session_->runner().collect();
  return part;
}

void TgnTraining::end_epoch(const RunPosition&, StepValues&) {
  if (steps_) {
    steps_->rewind();
    result_.plan_seconds += steps_->waiting_seconds();
    steps_.reset();
  }
  const EventId from = std::exchange(in_epoch_, {}).window;
  if (validation_) {
    validation_->make_memory(from);
  } else if (!options_.model.empty() && !options_.weights_only) {
    session_->settle();
    learn_training(*data_, *session_, from, stored_.window);
  }
}

void TgnTraining::save_model(Document& document) const {
  session_->bring_model_back();
  stored_.model->save(document);
}

void TgnTraining::load_model(Document& document, const std::string& place) {
  stored_.model->load(document, place);
  session_->model_changed();
}

Scores TgnTraining::validate(const RunPosition&) {
  const LinkMetrics metrics = validation_->validate();
  return {metrics.values(), metrics.ap_batch(), 0};
}

/// What was planned ahead is taken back, so that the session stands behind the last step.
void TgnTraining::save_state(Document& state) {
  if (steps_) steps_->rewind();
  session_->bring_model_back();
  stored_.model->save_state(state);
  session_->save(state);
  if (validation_) validation_->save(state);
  in_epoch_.save(state);
}

void TgnTraining::resume(Document& state, const std::string& path) {
  stored_.model->load(state, path);
  stored_.model->load_state(state, path);
  session_->model_changed();
  session_->load(state, path);
  if (validation_) validation_->load(state, path);
  in_epoch_ = EpochPosition::load(state, path);
}

void TgnTraining::test() {
  const double began = wall_seconds();
  const RankSource source(options_.ranks, *data_);
  result_.tests = test_links(*data_, *evaluation_negatives_, *session_, source.ranks(),
                             {options_.eval_batch, Ties::strict, nullptr});
  result_.eval_seconds += wall_seconds() - began;
}

void TgnTraining::write_model() {
  if (!options_.weights_only) {
    stored_.trained =
        TrainedMemory::of(data_->stream(), data_->split().end(EventPart::train), *session_);
  }
  session_->bring_model_back();
  Document document;
  tgn::save_model(stored_, document);
  write_trained_model(std::move(document), options_, options_.model);
}

}  // namespace

TrainResult train(const TrainOptions& options, const TrainObserver& observer) {
  return TgnTraining(options, observer).run();
}

}  // namespace frugal::tgn
