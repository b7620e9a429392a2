#include "tools/tgn-train/train.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "libcore/base/error.h"
#include "libcore/base/log.h"
#include "libcore/base/text.h"
#include "libcore/nn/schedule.h"
#include "libcore/parallel/communicator.h"
#include "libcore/system/clock.h"
#include "libcore/train/training_run.h"
#include "tools/tgn-train/data/stream_fingerprint.h"
#include "tools/tgn-train/epoch_validation.h"
#include "tools/tgn-train/link_evaluation.h"
#include "tools/tgn-train/memory_copies.h"
#include "tools/tgn-train/model_file.h"
#include "tools/tgn-train/train_facts.h"
#include "tools/tgn-train/train_fields.h"

namespace frugal::tgn {
namespace {

/// A layer that is large.
constexpr std::size_t kWide = 172;

/// The training of one model: stream, network and memory, and how they step, score and are kept.
class TgnTraining final : public Trainee {
 public:
  TgnTraining(const TrainOptions& options, const TrainObserver& observer)
      : options_(options),
        observer_(observer),
        clock_(options),
        ranks_(options.TrainerSettings::ranks == nullptr ? *alone_
                                                         : *options.TrainerSettings::ranks) {}
  TrainResult run();

  void begin_epoch(const RunPosition& at) override;
  TrainedPart advance(const RunPosition& at, std::uint64_t most,
                      const std::function<bool()>& interrupted) override;
  void end_epoch(const RunPosition& at, StepValues& values) override;
  bool can_validate() const override { return options_.evaluates; }
  Scores validate(const RunPosition& at) override;
  void save_model(Document& document) const override;
  void load_model(Document& document, const std::string& place) override;
  void keep_best() override {
    if (validation_) validation_->keep_best();
  }
  void take_best() override {
    if (validation_) validation_->take_best();
  }
  void bring_together() override {
    if (copies_) copies_->bring_together();
  }
  void save_state(Document& state) override;
  bool keeps_state_between_epochs() const override { return false; }
  void resume(Document& state, const std::string& path) override;

 private:
  bool is_first() const { return ranks_.rank() == 0; }
  void read_events();
  void make_model();
  void make_session();
  void make_copies();
  void prepare_steps();
  RunCheckpoint open_checkpoint() const;
  TensorPlaces checkpoint_places();
  RunSettings run_settings() const;
  RunObserver run_observer();
  void report_progress(const RunPosition& at) const;
  bool train_step(const RunPosition& at, TrainedPart& part);
  TrainedPart joint_step(const RunPosition& at);
  void end_joint_epoch(std::size_t epoch);
  float rate_at(const RunPosition& at, std::size_t events) const;
  void test();
  void write_model();

  TrainOptions options_;
  const TrainObserver& observer_;
  RunClock clock_;
  std::unique_ptr<Communicator> alone_ = single_process();
  Communicator& ranks_;
  std::unique_ptr<LinkData> data_;
  std::unique_ptr<UniformNegative> negatives_;
  std::unique_ptr<EvaluationNegatives> evaluation_negatives_;
  StoredTgn stored_;
  std::unique_ptr<StreamSession> session_;       ///< of the first rank
  std::unique_ptr<EpochValidation> validation_;  ///< null where nothing is evaluated
  std::optional<MemoryCopy::Stream> stream_;
  std::optional<TimeRanges> ranges_;
  std::optional<MemoryCopy> copy_;        ///< the session's, where there is one range
  std::unique_ptr<MemoryCopies> copies_;  ///< where there are several
  bool has_memory_ = false;               ///< the session has that of a joint epoch
  TrainResult result_;
};

TrainResult TgnTraining::run() {
  if (is_first()) check_outputs(options_, options_.model);
  options_.time_ranges = decided_ranges(options_, ranks_.size());
  read_events();
  make_model();
  make_session();
  make_copies();
  prepare_steps();
  const RunCheckpoint checkpoint = open_checkpoint();
  std::optional<Document> state = checkpoint.load(checkpoint_places());
  if (observer_.begun) observer_.begun(result_.facts);
  const RunObserver observer = run_observer();
  RunFigures& figures = result_;
  figures = run_training(*this, run_settings(), {clock_, checkpoint, ranks_, observer},
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
  if (ranks_.size() > 1) {
    expect_agreement(ranks_, "events of hash " + stream_fingerprint(data_->stream()));
  }
  const EventView events = data_->events();
  negatives_ = std::make_unique<UniformNegative>(
      distinct_destinations(events, [this](EventId event) { return data_->trains(event); }),
      options_.seed);
  if (options_.evaluates) {
    evaluation_negatives_ =
        std::make_unique<EvaluationNegatives>(events, data_->parts(), options_.split.seed);
  }
  result_.facts = facts_of(*data_, options_);
  result_.read_seconds = wall_seconds() - began;
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
  if (!is_first()) return;
  session_ =
      std::make_unique<StreamSession>(*stored_.model, data_->events(), data_->training_neighbors(),
                                      data_->features(), stored_.session);
  if (!options_.evaluates) return;
  validation_ = std::make_unique<EpochValidation>(
      *data_, *evaluation_negatives_, *session_,
      EpochValidation::Options{options_.weights_only, stored_.window, options_.eval_batch});
}

void TgnTraining::make_copies() {
  stream_.emplace(MemoryCopy::Stream{*data_,
                                     *negatives_,
                                     options_.seed,
                                     {options_.batch, options_.memory_window(), options_.ties}});
  ranges_.emplace(*data_, options_.time_ranges, options_.batch, options_.skip);
  if (ranges_->count() == 1 && ranks_.size() == 1) {
    copy_.emplace(*stream_, *session_);
  } else {
    copies_ =
        std::make_unique<MemoryCopies>(*stream_, *ranges_, *stored_.model, stored_.session, ranks_);
  }
}

/// On the CPU or on a device.
void TgnTraining::prepare_steps() {
  OptimizerOptions optimizer;
  optimizer.kind = optimizer_from_name(options_.optimizer);
  optimizer.corrected_epsilon = true;
  optimizer.weight_decay = options_.weight_decay;
  const bool on_device =
      copy_ &&
      session_->compute_on({options_.device, "tgn-train train", options_.batch}, optimizer);
  // Where products are in bf16, what optimiser steps move is half of the work of small batches.
  optimizer.half_moments =
      !on_device && optimizer.weight_decay == 0 &&
      product_precision(options_.network.precision, kWide, kWide) == Precision::bf16;
  stored_.model->prepare_training(optimizer);
}

RunCheckpoint TgnTraining::open_checkpoint() const {
  if (options_.checkpoint.empty()) return {};
  TrainOptions options = options_;
  // As before there were several.
  if (options.time_ranges == 1) options.time_ranges = 0;
  return {options_,
          "tgn-train",
          {training_options(options), {{"events", stream_fingerprint(data_->stream())}}}};
}

/// Memory is large, and read where it is used.
TensorPlaces TgnTraining::checkpoint_places() {
  TensorPlaces places;
  if (copy_) places = session_->places();
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

/// Of a step of so many events. The schedule goes by the events trained on, of those of all epochs:
/// how many steps they make is not known before.
float TgnTraining::rate_at(const RunPosition& at, std::size_t events) const {
  const std::uint64_t per_epoch = result_.facts.train_events;
  std::uint64_t total = per_epoch * static_cast<std::uint64_t>(options_.epochs);
  if (options_.steps != 0)
    total = std::min(total, options_.steps * options_.batch * ranges_->count());
  const Schedule schedule{schedule_from_name(options_.schedule), options_.learning_rate};
  const std::uint64_t done = per_epoch * static_cast<std::uint64_t>(at.epoch) + at.samples + events;
  return static_cast<float>(schedule.over(total, options_.warm_up).rate(done - 1));
}

/// A step behind those of the part, to which it is added; it trains nothing where none of its
/// events does. False: it would tell of no more.
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

/// One step, or as many as a device can be given without being waited for.
TrainedPart TgnTraining::advance(const RunPosition& at, std::uint64_t most,
                                 const std::function<bool()>& interrupted) {
  if (copies_) return joint_step(at);
  TrainedPart part;
  const bool many = session_->runner().is_on_device();
  while (train_step(at, part) && many && part.steps < most && !interrupted()) {
  }
  part.loss_sum += session_->runner().collect();
  return part;
}

void TgnTraining::end_epoch(const RunPosition& at, StepValues&) {
  if (copies_) return end_joint_epoch(static_cast<std::size_t>(at.epoch) - 1);
  result_.plan_seconds += copy_->end_epoch();
  if (validation_) {
    validation_->make_memory(copy_->at().window);
  } else if (!options_.model.empty() && !options_.weights_only) {
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
    const LinkMetrics metrics = validation_->validate();
    scores = {metrics.values(), metrics.ap_batch(), 0};
  }
  ranks_.broadcast(std::as_writable_bytes(std::span(&scores.score, 1)), 0);
  return scores;
}

/// What was planned ahead is taken back, so that the session stands behind the last step.
void TgnTraining::save_state(Document& state) {
  if (session_) session_->bring_model_back();
  stored_.model->save_state(state);
  copies_ ? copies_->save(state) : copy_->save(state);
  if (validation_) validation_->save(state);
}

void TgnTraining::resume(Document& state, const std::string& path) {
  stored_.model->load(state, path);
  stored_.model->load_state(state, path);
  if (session_) session_->model_changed();
  copies_ ? copies_->load(state, path) : copy_->load(state, path);
  if (validation_) validation_->load(state, path);
}

void TgnTraining::test() {
  const double began = wall_seconds();
  const RankSource source(options_.ranking, *data_);
  result_.tests = test_links(*data_, *evaluation_negatives_, *session_, source.ranks(),
                             {options_.eval_batch, Ties::strict, nullptr});
  result_.eval_seconds += wall_seconds() - began;
}

void TgnTraining::write_model() {
  if (!options_.weights_only) {
    const bool anew = copies_ && !validation_ && !has_memory_;
    if (anew) learn_anew(*data_, *session_, stored_.window);
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
