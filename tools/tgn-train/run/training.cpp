#include "tools/tgn-train/run/training.h"

#include <utility>

#include "libcore/base/error.h"
#include "libcore/base/log.h"
#include "libcore/base/text.h"
#include "libcore/device/registry.h"
#include "libcore/nn/optimizer_rules.h"
#include "libcore/system/clock.h"
#include "libcore/system/limits.h"
#include "libcore/system/output_file.h"
#include "tools/tgn-train/data/stream_fingerprint.h"
#include "tools/tgn-train/links/link_evaluation.h"
#include "tools/tgn-train/links/link_mixing.h"
#include "tools/tgn-train/links/scaled_features.h"
#include "tools/tgn-train/settings/train_fields.h"

namespace frugal::tgn {
namespace {

/// A layer that is large.
constexpr std::size_t kWide = 172;

}  // namespace

TrainResult TgnTraining::run() {
  if (is_first()) check_outputs(options_, options_.model);
  options_.time_ranges = decided_ranges(options_, ranks_.size());
  writes_model_ = any_of_ranks(ranks_, options_.model.empty() ? 0 : 1) != 0;
  read_events();
  make_model();
  make_session();
  make_steps();
  prepare_steps();
  const RunCheckpoint checkpoint = open_checkpoint();
  std::optional<Document> state = checkpoint.load(checkpoint_places());
  if (observer_.begun) observer_.begun(result_.facts);
  const RunObserver observer = run_observer();
  const RunResult run = run_training(*this, run_settings(), {clock_, checkpoint, ranks_, observer},
                                     state ? &*state : nullptr);
  static_cast<RunFigures&>(result_) = run.figures;
  if (options_.select_mrr && run.at.has_best()) result_.selected_mrr = run.at.best_score;
  if (shared_) result_.step_sent_bytes = shared_->sent_bytes();
  if (result_.stopped) return std::move(result_);
  expect_steps(result_, clock_);
  if (writes_model_ && whole_ && !options_.weights_only) gather_memory();
  const bool mixes = validation_ && options_.mixes;
  // The network is on disk before the choice of a mix, which takes memory and time.
  if (!mixes || !leaves_equal_files()) write_model();
  evaluate();
  return std::move(result_);
}

/// Chooses a mix and tests the model, until a signal requests the end.
void TgnTraining::evaluate() {
  const bool mixes = validation_ && options_.mixes;
  bool is_written = !mixes || !leaves_equal_files(), chosen = false;
  try {
    if (mixes) {
      choose_mix();
      chosen = true;
      if (stored_.mix || leaves_equal_files()) write_model();
      is_written = true;
    }
    if (whole_) whole_->clear();
    if (validation_) test();
  } catch (const EvaluationStopped&) {
    result_.evaluation_stopped = true;
    result_.lacks_mix = mixes && !chosen;
    if (!is_written) write_model();
  }
}

/// Ranks that share a memory evaluate together: they go on to the end.
bool TgnTraining::evaluation_stops() const { return !shards_ && clock_.is_stopped(); }

void TgnTraining::read_events() {
  const double began = wall_seconds();
  data_ = std::make_unique<LinkData>(options_.events, options_.split);
  if (ranks_.size() > 1) {
    expect_agreement(ranks_, "events of hash " + stream_fingerprint(data_->stream()));
  }
  const EventView events = data_->events();
  const auto trains = [this](EventId event) { return data_->trains(event); };
  std::optional<FirstMeetings> meetings;
  if (options_.train_negatives != TrainNegatives::uniform) meetings.emplace(events, trains);
  negatives_ = std::make_unique<TrainingNegatives>(
      UniformNegative(distinct_destinations(events, trains), options_.seed),
      options_.train_negatives, std::move(meetings));
  if (options_.evaluates) {
    evaluation_negatives_ =
        std::make_unique<EvaluationNegatives>(events, data_->parts(), options_.split.seed);
  }
  result_.facts = facts_of(*data_, options_);
  result_.read_seconds = wall_seconds() - began;
}

/// Fails (usage) for types that the network would not read.
void TgnTraining::check_types() const {
  const std::size_t types = data_->stream().type_names().size();
  if (types == 0) return;
  if (types > kMostNetworkTypes) {
    fail(ExitStatus::usage, options_.events, ": has ", types, " edge types, expected at most ",
         kMostNetworkTypes, "; give rare types one name, and import again");
  }
  if (!options_.network.embeds_pairs() && !options_.network.reads_common()) return;
  fail(ExitStatus::usage, options_.events, ": has edge types, which --architecture ",
       options_.architecture,
       " does not read of the pair that is asked about; expected another "
       "architecture, or events imported without the types (import --columns)");
}

void TgnTraining::make_model() {
  check_types();
  TgnInputs inputs;
  inputs.edge_features = data_->stream().edge_features().width();
  inputs.types = data_->stream().type_names().size();
  inputs.node_features = !data_->stream().node_features().empty();
  if (inputs.node_features && data_->stream().node_features().dim != options_.network.memory_dim) {
    fail(ExitStatus::usage, options_.events, ": nodes have ",
         format_count(data_->stream().node_features().dim, "feature"),
         ", added to their memory: set --memory-dim to as many");
  }
  stored_.session = {
      options_.mode, options_.refresh, options_.memory_dtype, {}, options_.place, {}, {}, {}};
  if (options_.pair_features) {
    const EventView events = data_->events();
    stored_.session.pairs = pair_options_for(events.times, data_->split().end(EventPart::train));
    stored_.session.pairs->typed = inputs.types != 0;
    inputs.pair_features = stored_.session.pairs->num_features();
  } else if (options_.network.embeds_pairs()) {
    const EventView events = data_->events();
    stored_.session.pairs = walk_options_for(events.times, data_->split().end(EventPart::train));
    inputs.walk_hops = stored_.session.pairs->walks.hops;
  }
  inputs.pair_features += inputs.types;
  stored_.model = std::make_unique<TgnModel>(options_.network, inputs);
  stored_.model->randomize(options_.seed);
  measure_times();
  if (options_.scales_features) {
    scale_features(*data_, " (--scale-features none: not)", stored_.session);
  }
  stored_.architecture = options_.architecture;
  stored_.features = data_->stream().feature_names();
  stored_.roles = data_->stream().role_names();
  stored_.types = data_->stream().type_names();
  stored_.type_column = data_->stream().type_column();
  stored_.split = options_.split;
  stored_.batch = options_.batch;
  stored_.window = options_.memory_window();
  result_.facts.parameters = stored_.model->num_parameters();
}

void TgnTraining::measure_times() {
  const auto counts = [this](EventId event) { return data_->trains(event); };
  TimeScale& time = stored_.session.time;
  if (options_.time_unit != 0) {
    time.unit = options_.time_unit;
  } else {
    time.unit = measure_time_unit(data_->events(), counts);
    time.steps = kStepsOfUnit;
  }
  if (options_.network.embedding == EmbeddingKind::time)
    measure_since(data_->events(), counts, time);
}

void TgnTraining::make_session() {
  if (options_.memory_shards != 0) {
    shards_ =
        std::make_unique<MemoryShards>(ranks_, options_.memory_shards, data_->stream().num_nodes());
    stored_.session.shards = shards_.get();
    if (ranks_.size() > 1)
      whole_ = std::make_unique<WholeMemories>(*shards_, options_.place.folder);
  } else if (!is_first()) {
    return;
  }
  session_ =
      std::make_unique<StreamSession>(*stored_.model, data_->events(), data_->training_neighbors(),
                                      data_->features(), stored_.session);
  result_.facts.memory_bytes =
      session_->memory() == nullptr ? 0 : session_->memory()->bytes().size();
  if (!options_.evaluates) return;
  validation_ = std::make_unique<EpochValidation>(
      *data_, *evaluation_negatives_, *session_,
      EpochValidation::Options{options_.weights_only, stored_.window, options_.eval_batch});
  if (!options_.select_mrr) return;
  validation_ranks_.emplace(RankOptions{"uniform", options_.select_negatives, 0}, *data_);
}

void TgnTraining::make_steps() {
  stream_.emplace(MemoryCopy::Stream{
      *data_,
      *negatives_,
      options_.seed,
      {options_.batch, options_.memory_window(), options_.ties, options_.negatives}});
  ranges_.emplace(*data_, options_.time_ranges, options_.batch, options_.skip);
  if (shards_) shared_.emplace(*session_, options_.seed);
  if (shards_ || (ranges_->count() == 1 && ranks_.size() == 1)) {
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
  const bool plain = options_.negatives == 1 && options_.loss == LossKind::one_vs_all;
  if (!plain) check_device(options_.device, "tgn-train train --negatives or --loss", "");
  const bool on_device =
      plain && copy_ && !shared_ &&
      session_->compute_on({options_.device, "tgn-train train", options_.batch}, optimizer);
  // Where products are in bf16, what optimiser steps move is half of the work of small batches.
  optimizer.half_moments =
      !on_device && optimizer.weight_decay == 0 &&
      product_precision(options_.network.precision, kWide, kWide) == Precision::bf16;
  stored_.model->prepare_training(optimizer, {options_.loss, negatives_->destinations().size()});
}

RunCheckpoint TgnTraining::open_checkpoint() const {
  if (options_.checkpoint.empty()) return {};
  TrainOptions options = options_;
  // Checkpoints written before --time-ranges existed have 0 for a single range.
  if (options.time_ranges == 1) options.time_ranges = 0;
  return {options_,
          "tgn-train",
          {training_options(options), {{"events", stream_fingerprint(data_->stream())}}}};
}

/// Memory is large, and read where it is used.
TensorPlaces TgnTraining::checkpoint_places() {
  TensorPlaces places;
  if (whole_) {
    if (!options_.resume) return places;
    whole_->make_room(kMemoryTensor, *session_->memory());
    if (validation_ && validation_->best_memory() != nullptr) {
      whole_->make_room(kBestMemoryTensor, *validation_->best_memory());
    }
    return whole_->places();
  }
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

void TgnTraining::choose_mix() {
  const double began = wall_seconds();
  const std::uint64_t copy = session_->memory() == nullptr ? 0 : session_->memory()->bytes().size();
  const std::uint64_t needed = copy + most_bytes_of_link_mix(*data_, options_.eval_batch);
  const std::uint64_t left = memory_available();
  if (left != 0 && needed > left) {
    result_.mix.fits_memory = false;
    log_warning("--mix auto can take ", format_bytes(needed), ", and ", format_bytes(left),
                " are left: the model answers with the network alone");
    return;
  }
  result_.mix = choose_link_mix(
      *data_, *evaluation_negatives_, *session_,
      {.batch = options_.eval_batch, .stops = [this] { return evaluation_stops(); }},
      options_.seed);
  stored_.mix = result_.mix.mix;
  result_.eval_seconds += wall_seconds() - began;
}

void TgnTraining::test() {
  const double began = wall_seconds();
  const RankSource source(options_.ranking, *data_);
  result_.tests = test_links(*data_, *evaluation_negatives_, *session_, source.ranks(),
                             {.batch = options_.eval_batch,
                              .mix = stored_.mix ? &*stored_.mix : nullptr,
                              .stops = [this] { return evaluation_stops(); }});
  const auto check = [this] {
    if (evaluation_stops()) throw EvaluationStopped();
  };
  const BaselineOptions baselines{true, source.ranks().valid, source.ranks().test, check};
  result_.baselines =
      evaluate_baselines(data_->events(), data_->parts(), *evaluation_negatives_, baselines);
  result_.eval_seconds += wall_seconds() - began;
}

void TgnTraining::write_model() {
  if (options_.model.empty()) return;
  if (!options_.weights_only) {
    const bool anew = copies_ && !validation_ && !has_memory_;
    if (anew) learn_anew(*data_, *session_, stored_.window);
    stored_.trained =
        TrainedMemory::of(data_->stream(), data_->split().end(EventPart::train), *session_);
    if (whole_) whole_->lend(stored_.trained->state);
  }
  session_->bring_model_back();
  Document document;
  tgn::save_model(stored_, document);
  write_trained_model(std::move(document), options_, options_.model);
}

TrainResult train(const TrainOptions& options, const TrainObserver& observer) {
  return TgnTraining(options, observer).run();
}

}  // namespace frugal::tgn
