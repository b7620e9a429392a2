#include "tools/sparse-train/run/training.h"

#include <algorithm>

#include "libcore/base/error.h"
#include "libcore/base/log.h"
#include "libcore/base/text.h"
#include "libcore/kernels/kernels.h"
#include "libcore/nn/optimizer_rules.h"
#include "libcore/system/clock.h"
#include "libcore/system/signals.h"
#include "tools/sparse-train/data/data_gaps.h"
#include "tools/sparse-train/fit/continuation.h"
#include "tools/sparse-train/fit/plan_text.h"
#include "tools/sparse-train/fit/setup.h"
#include "tools/sparse-train/fit/training_input.h"
#include "tools/sparse-train/run/training_figures.h"
#include "tools/sparse-train/search/rate_search.h"
#include "tools/sparse-train/search/text_report.h"
#include "tools/sparse-train/steps/trainer.h"
#include "tools/sparse-train/text/training_data.h"
#include "tools/sparse-train/tree/forest_trainer.h"

namespace frugal::sparse {
namespace {

constexpr double kTimeForSearch = 0.3;  ///< share of a time budget after which a search ends

}  // namespace

TrainResult SparseTraining::run() {
  if (is_first()) check_outputs(options_, options_.model);
  prepare_for_device(options_);
  prepare_for_ranks(options_);
  search();
  if (result_.stopped) return result_;
  read();
  build();
  if (result_.stopped) {
    keep_search();
    return result_;
  }
  expect_agreement(ranks_, "plan " + plan_text(result_.plan));
  std::optional<Document> state = open_checkpoint();
  if (result_.plan.has_network()) {
    choose_label_shards(state ? &*state : nullptr);
    build_network();
  }
  if (result_.plan.has_trees()) grow_trees();
  if (result_.plan.has_network() && !result_.stopped) train_network(state ? &*state : nullptr);
  drop_untrained_network();
  count_passes();
  if (!result_.stopped) decide();
  if (result_.stopped) return result_;
  bring_together();
  if (is_first()) write_model();
  return result_;
}

/// Chooses settings that the options leave open, on held-out examples. A resumed run
/// takes over the earlier choice.
void SparseTraining::search() {
  if (!options_.checkpoint.empty() && is_first()) trial_log_.emplace(asked_);
  TextSearchObserver observer;
  observer.tried = observer_.tried;
  observer.log = trial_log_ ? &*trial_log_ : nullptr;
  observer.finished_fold = [this] {
    if (clock_.checkpoint_is_due()) keep_search();
  };
  observer.stop = [this] { return stop_requested() || clock_.out_of_time(kTimeForSearch); };
  search_ = settle_text(options_, observer);
  search_out_of_time_ = clock_.out_of_time(kTimeForSearch);
  options_.features = with_default_ngrams(options_.features);
  result_.search_seconds = clock_.seconds();
  result_.stopped = any(stop_requested());
  if (!result_.stopped) return;
  result_.stopped_in_search = true;
  keep_search();
}

void SparseTraining::keep_search() {
  clock_.checkpoint_was_written();
  if (trial_log_) trial_log_->save();
}

void SparseTraining::read() {
  const double began = wall_seconds();
  TrainingInput input = read_training_input(options_, static_cast<bool>(observer_.planned));
  initial_ = std::move(input.initial);
  initial_fingerprint_ = std::move(input.initial_fingerprint);
  featurizer_ = std::make_unique<Featurizer>(std::move(*input.featurizer));
  normalize_ = input.normalize;
  data_ = std::move(input.data);
  validation_ = std::move(input.validation);
  label_counts_ = std::move(input.label_counts);
  result_.facts = facts_of(data_);
  result_.facts.of_numbers = featurizer_->is_number_table();
  if (!search_.choice && search_.skipped.empty()) {
    search_.skipped = search_skipped(asked_, *featurizer_, data_.size(), search_out_of_time_);
  }
  result_.search = search_.choice;
  result_.search_skipped = search_.skipped;
  agree_on_data();
  result_.read_seconds = wall_seconds() - began;
}

/// Ranks that had other bits, or made other batches, would not train one model. The memory that is
/// free says how large the blocks are in which data beyond it are read.
void SparseTraining::agree_on_data() {
  if (ranks_.size() == 1) return;
  expect_agreement(ranks_,
                   std::string("vector instructions ") + kernels().name + "\ntraining data " +
                       fingerprint(data_) + "\nblocks of " + std::to_string(data_.shuffle_block) +
                       " examples (--max-memory)\nvalidation data " + fingerprint(validation_));
}

Plan SparseTraining::plan_with(const TrainSettings& settings) const {
  return initial_ ? plan_continuation(*initial_, settings, data_)
                  : plan_training(settings, result_.facts);
}

void SparseTraining::build() {
  if (initial_ && initial_->forest) refuse_trees(options_);
  result_.plan = plan_with(options_.settings);
  choose_device();
  Plan& plan = result_.plan;
  plan.forest.seed = options_.seed;
  if (initial_ && initial_->forest) start_ = extend_forest(std::move(*initial_->forest), data_);
  if (initial_) weigh_steps();
  if (result_.stopped) return;
  if (result_.search) plan.reasons.insert(plan.reasons.begin(), choice_text(*result_.search));
  if (!result_.search_skipped.empty()) {
    plan.reasons.insert(plan.reasons.begin(),
                        "settings were not searched for: " + result_.search_skipped);
  }
  decide_by_search();
  if (result_.stopped) return;
  refuse_ranks(options_, plan);
  if (plan.has_network() && is_first()) check_network_memory(plan, data_, options_.data);
  if (plan.has_network() && options_.settings.find_learning_rate) {
    plan.learning_rate = find_learning_rate(plan, data_, options_.seed, options_.precision);
    plan.reasons.push_back("learning rate " + format_number(plan.learning_rate) +
                           ": best in short trainings on part of the data");
  }
  if (observer_.planned) observer_.planned(plan, result_.facts);
  if (plan.has_network() && options_.settings.learning_rate > 0) warn_of_small_steps(plan, data_);
}

/// Lowers the weight of examples that the model was trained on before. Has no effect on data with
/// new labels.
void SparseTraining::weigh_steps() {
  const QuickStart start{initial_->network ? &*initial_->network : nullptr,
                         start_ ? &*start_ : nullptr};
  if (data_.num_labels <= initial_->label_counts.counts.size())
    weigh_steps_by_data(options_, start, data_, result_.plan);
  result_.stopped = stop_requested();
}

void SparseTraining::build_network() {
  const Plan& plan = result_.plan;
  network_ =
      Network(network_shape(plan, data_), optimizer_from_name(plan.optimizer),
              is_first() ? LabelRange{0, data_.num_labels}
                         : shards_.labels_of_rank(ranks_.rank(), ranks_.size(), data_.num_labels));
  network_.initialize(options_.seed);
  if (initial_) copy_parameters(*initial_->network, network_);
  if (engine_) {
    trainer_ =
        make_device_trainer(engine_, network_, data_, device_training(options_, plan, data_));
    return;
  }
  output_ = shards_.count == 1
                ? make_output(plan, network_, data_, options_.seed, options_.precision)
                : make_sharded_output(network_, data_,
                                      output_options(plan, options_.seed, options_.precision),
                                      shards_, ranks_);
  trainer_ = std::make_unique<Trainer>(
      network_, *output_, data_, trainer_setup(plan, data_, options_.seed, options_.precision));
}

/// Shards are what they were in a run that goes on, else one a rank.
void SparseTraining::choose_label_shards(const Document* state) {
  const auto ranks = static_cast<std::uint32_t>(ranks_.size());
  shards_.shared = result_.plan.output == OutputKind::shared;
  shards_.count = options_.settings.label_shards;
  std::string whose = "--label-shards " + std::to_string(shards_.count);
  if (shards_.count == 0) {
    shards_.count = state == nullptr ? ranks : stored_label_shards(*state, options_.checkpoint);
    whose = options_.checkpoint + " has " + std::to_string(shards_.count) + " label shards";
  }
  if (shards_.count % ranks != 0) {
    fail(ExitStatus::usage, whose, ": expected a multiple of the number of ranks, ", ranks);
  }
  if (shards_.count > 1 && options_.settings.label_shards == 0) {
    log_info("label shards: ", shards_.count, state == nullptr ? ", one a rank" : ", as before");
  }
}

/// Where the network is trained. With --device auto a device takes part only where it gains, and
/// only then outputs are planned for it.
void SparseTraining::choose_device() {
  if (options_.device == "cpu" || ranks_.size() > 1 || options_.settings.label_shards > 1) return;
  if (!trains_on_devices(options_, result_.plan)) return;
  TrainSettings settings = options_.settings;
  settings.on_device = true;
  const Plan plan = plan_with(settings);
  engine_ = open_training_engine(network_shape(plan, data_), data_,
                                 device_training(options_, plan, data_));
  if (!engine_) return;
  result_.plan = plan;
  if (!initial_ && plan_training(asked_.settings, result_.facts).has_trees()) {
    result_.plan.reasons.emplace_back("no label trees: they stay on the CPU (--device cpu)");
  }
}

/// Counts the trees and epochs done, and records whether the time budget cut something short.
void SparseTraining::count_passes() {
  const Plan& plan = result_.plan;
  result_.trees = forest_.trees.size();
  if (plan.has_network()) result_.epochs_done = epochs_done(at_);
  if (result_.stopped) return;
  const bool some_tried = result_.search && result_.search->cut_short;
  result_.search_cut_short =
      some_tried || (search_out_of_time_ && !result_.search && !result_.search_skipped.empty());
  result_.cut_short |= result_.search_cut_short;
  result_.cut_short |= plan.has_trees() && result_.trees < plan.forest.trees;
  const bool patient = options_.patience == 0 || at_.epoch - at_.best_epoch < options_.patience;
  result_.cut_short |= plan.has_network() && patient && at_.step < total_steps();
  if (!plan.has_network() || at_.step != 0) return;
  log_warning("the time budget of ", format_seconds(options_.time_budget),
              " ended before the first batch: the network has learnt nothing");
}

/// If trees took the whole time budget, drops the untrained network, whose noise would make them
/// worse.
void SparseTraining::drop_untrained_network() {
  if (!result_.plan.has_trees() || !result_.plan.has_network() || at_.step != 0 || result_.stopped)
    return;
  result_.plan.architecture = "tree";
  result_.cut_short = true;
  result_.plan.reasons.emplace_back("no network: the trees took the time budget");
  log_info("the trees took the time budget: the model has no network");
}

/// True if the search trained what the plan says, on a part of the same examples. Its trials
/// trained all epochs: --patience may end with the model of an earlier one.
bool SparseTraining::search_tried_plan() const {
  if (!result_.search || result_.search->sampled) return false;
  if (options_.patience > 0 && result_.plan.has_network()) return false;
  const TextCandidate& chosen = result_.search->trials[result_.search->best].candidate;
  const Plan& plan = result_.plan;
  const std::uint32_t trees = std::max(1U, options_.settings.forest.trees);  // of a linear trial
  return chosen.linear == !plan.has_network() && (!chosen.linear || plan.forest.trees == trees);
}

/// Makes decisions of what the search held out, which spares a training. A run that goes on has to
/// make the trial again.
void SparseTraining::decide_by_search() {
  const std::shared_ptr<const TrialModel> known = std::move(search_.trained);
  if (!wants_decisions() || !search_tried_plan()) return;
  const double began = wall_seconds();
  const TextCandidate& chosen = result_.search->trials[result_.search->best].candidate;
  std::shared_ptr<const TrialModel> trial = known;
  if (!known && is_first()) {
    trial =
        train_again(asked_, chosen, [this] { return stop_requested() || clock_.out_of_time(); });
  }
  result_.stopped = any(stop_requested());
  if (!trial) return;
  result_.calibration = calibrate(trial->model, trial->held_out, result_.facts.single_label);
  result_.calibration_seconds = wall_seconds() - began;
}

bool SparseTraining::wants_decisions() const {
  const bool by_data =
      options_.calibration == "auto" && wants_calibration(result_.facts, result_.plan.has_trees());
  return !initial_ && (by_data || options_.calibration == "held-out");
}

/// Makes decisions of held-out examples, as the last thing: a stop in between loses nothing else. A
/// model that goes on keeps those that it has. The first rank does it alone.
void SparseTraining::decide() {
  if (initial_ && initial_->decisions) decisions_ = std::move(initial_->decisions);
  if (decisions_) {
    decisions_->extend(data_.num_labels);
    decisions_->single_label &= result_.facts.single_label;
  }
  if (!wants_decisions()) return;
  if (!result_.calibration && is_first()) {
    const double began = wall_seconds();
    result_.calibration = calibrate_anew();
    result_.calibration_seconds += wall_seconds() - began;
  }
  if (result_.calibration) decisions_ = result_.calibration->decisions;
  if (any(result_.calibration.has_value())) return;
  if ((result_.stopped = any(stop_requested()))) return save_checkpoint();
  result_.cut_short |= clock_.out_of_time();
  const std::string missing =
      clock_.out_of_time() ? "the time budget left no time" : "the examples are too few";
  log_warning(missing + " to fit probabilities and thresholds of labels");
}

/// Nothing but a network's trainer needs all data any more, so that a part takes their place.
std::optional<CalibrationResult> SparseTraining::calibrate_anew() {
  std::optional<CalibrationExamples> examples = calibration_examples(data_, options_.seed);
  if (!examples) return std::nullopt;
  if (!trainer_) data_ = {};
  QuickRun run{options_.seed, options_.precision,
               [this] { return stop_requested() || clock_.out_of_time(); }};
  run.epochs = result_.best_epoch;
  return calibrate(result_.plan, std::move(*examples), result_.facts.single_label, run);
}

/// Makes room for what the model file needs beside the network.
void SparseTraining::release_data() {
  if (trainer_) trainer_->bring_back();
  trainer_.reset();
  output_.reset();
  engine_.reset();
  data_ = {};
}

/// Validates as eval does: with the decisions that the model had not before, and by all ranks where
/// a figure needs them.
void SparseTraining::evaluate_as_eval(const Model& model) {
  if (!result_.validation || options_.fitted_f1) return;
  const EvaluationOptions predicting =
      model.decisions ? model.decisions->predicting() : EvaluationOptions{};
  const std::size_t ranks = ranks_for(validation_, predicting);
  if (!model.decisions && ranks <= kEvaluatedRanks) return;
  result_.validation =
      evaluate(*make_scorer(model, {.top_k = ranks}), validation_, model.label_counts, predicting);
}

void SparseTraining::write_model() {
  release_data();
  Model model{std::move(*featurizer_), std::move(label_counts_), normalize_, {}, {}, {}};
  model.decisions = std::move(decisions_);
  if (result_.plan.has_network()) model.network = std::move(network_);
  if (result_.plan.has_trees()) model.forest = std::move(forest_);
  evaluate_as_eval(model);
  validation_ = {};
  const double began = wall_seconds();
  Document document;
  sparse::save_model(std::move(model), document);
  document.metadata["model.training"] = training_figures(result_);
  write_trained_model(std::move(document), options_, options_.model);
  result_.write_seconds = wall_seconds() - began;
}

TrainResult train(const TrainOptions& options, const TrainObserver& observer) {
  return SparseTraining(options, observer).run();
}

}  // namespace frugal::sparse
