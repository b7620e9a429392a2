#include <algorithm>
#include <filesystem>

#include "libcore/base/error.h"
#include "libcore/base/log.h"
#include "libcore/base/text.h"
#include "libcore/metrics/run_log.h"
#include "libcore/system/clock.h"
#include "libcore/system/output_links.h"
#include "libcore/system/signals.h"
#include "tools/sparse-train/fit/plan_text.h"
#include "tools/sparse-train/fit/setup.h"
#include "tools/sparse-train/network/network_file.h"
#include "tools/sparse-train/run/training.h"
#include "tools/sparse-train/settings/train_fields.h"

namespace frugal::sparse {
namespace {

constexpr double kTimeForTrees = 0.5;  ///< share of a time budget after which a network begins

}  // namespace

std::optional<Document> SparseTraining::open_checkpoint() {
  RunIdentity identity;
  if (!options_.checkpoint.empty()) {
    identity.inputs["training data"] = fingerprint(data_);
    identity.options = training_options(asked_);
    identity.inputs["initial model"] = initial_fingerprint_;
    if (options_.patience > 0) identity.inputs["validation data"] = fingerprint(validation_);
  }
  trial_log_.reset();  // it holds the lock of the checkpoint
  checkpoint_.emplace(options_, "sparse-train", std::move(identity));
  if (options_.resume && follows_search()) return std::nullopt;
  std::optional<Document> state = checkpoint_->load();
  if (state) check_stored_plan(result_.plan, state->metadata, options_.checkpoint);
  if (state && result_.plan.has_trees()) {
    load_grown_trees(*state);
    log_info("going on with ", forest_.trees.size(), " of ", result_.plan.forest.trees, " trees");
    if (!is_first()) forest_.trees.assign(forest_.trees.size(), {});
  }
  return state;
}

/// Whether the last checkpoint was the search's, which no training goes on from. One before the
/// last is of no use any more.
bool SparseTraining::follows_search() const {
  if (is_trial_log(options_.checkpoint)) return true;
  const std::string previous = follow_links(options_.checkpoint) + ".prev";
  if (is_first() && is_trial_log(previous)) std::filesystem::remove(previous);
  return false;
}

/// A run that was stopped while its first tree grew has none. Trees of another training could have
/// labels or features that the data do not have.
void SparseTraining::load_grown_trees(const Document& state) {
  forest_ = LabelForest::load(state, options_.checkpoint, 0);
  const std::size_t most = result_.plan.forest.trees;
  if (forest_.trees.empty() ||
      (forest_.num_features == data_.num_features && forest_.num_labels == data_.num_labels &&
       forest_.trees.size() <= most)) {
    return;
  }
  fail(ExitStatus::bad_input, options_.checkpoint, ": has ", forest_.trees.size(), " trees for ",
       forest_.num_features, " features and ", forest_.num_labels, " labels, expected at most ",
       most, " for ", data_.num_features, " and ", data_.num_labels, ", as the data have");
}

/// A forest takes its checkpoints between trees.
void SparseTraining::grow_trees() {
  ForestObserver observer;
  observer.progress = [this](double trees) {
    if (observer_.progress && clock_.progress_is_due()) {
      clock_.progress_was_shown();
      observer_.progress(trees, "");
    }
    return !stop_requested();
  };
  double began = wall_seconds(), cpu_began = cpu_seconds();
  observer.grown = [&] {
    result_.fit_seconds += wall_seconds() - began;
    result_.fit_cpu_seconds += cpu_seconds() - cpu_began;
    finish_tree();
    began = wall_seconds();
    cpu_began = cpu_seconds();
    return !clock_.out_of_time(result_.plan.has_network() ? kTimeForTrees : 1);
  };
  result_.stopped = !grow_forest(data_, result_.plan.forest, observer, forest_,
                                 start_ ? &*start_ : nullptr, &ranks_);
  start_.reset();
  if (result_.stopped) save_checkpoint();
}

void SparseTraining::finish_tree() {
  const auto trees = static_cast<int>(forest_.trees.size());
  log_verbose("tree ", trees, ": ", format_bytes(forest_.trees.back().num_bytes()));
  if (!result_.plan.has_network()) {
    StepValues values = {{"tree", trees}, {"fit_seconds", result_.fit_seconds}};
    if (can_validate()) {
      evaluate_validation();
      values.emplace_back("validation_p_at_1", result_.validation->precision[0]);
      values.emplace_back("validation_p_at_5", result_.validation->precision[2]);
      if (observer_.validated) observer_.validated(trees, *result_.validation);
    }
    if (observer_.log != nullptr) observer_.log->step(trees, values);
  }
  save_checkpoint();
}

void SparseTraining::train_network(Document* state) {
  const auto trees = static_cast<double>(forest_.trees.size());
  RunObserver observer;
  observer.log = observer_.log;
  observer.progress = [&](const RunPosition& at) {
    if (!observer_.progress) return;
    observer_.progress(trees + epochs_done(at), "loss " + format_number(at.mean_loss(), 4));
  };
  observer.validated = [this](const RunPosition& at, const Scores&, bool) {
    if (observer_.validated) observer_.validated(epochs_done(at), *result_.validation);
  };
  RunSettings settings;
  settings.epochs = result_.plan.epochs;
  settings.patience = options_.patience;
  settings.keep_best = options_.patience > 0;
  const RunResult run =
      run_training(*this, settings, {clock_, *checkpoint_, ranks_, observer}, state);
  at_ = run.at;
  if (can_validate() && !result_.validation && !run.figures.stopped) evaluate_validation();
  const double growing = result_.fit_seconds, growing_cpu = result_.fit_cpu_seconds;
  RunFigures& figures = result_;
  figures = run.figures;
  figures.fit_seconds += growing;
  figures.fit_cpu_seconds += growing_cpu;
  if (!figures.stopped && at_.step == 0) save_checkpoint();  // what was searched for
}

TrainedPart SparseTraining::advance(const RunPosition& at, std::uint64_t,
                                    const std::function<bool()>& interrupted) {
  const std::uint64_t per_epoch = trainer_->batches_per_epoch();
  const std::uint64_t epoch_end = (at.step / per_epoch + 1) * per_epoch;
  const double began = wall_seconds();
  const std::uint64_t step = trainer_->run(at.step, epoch_end, [&] { return any(interrupted()); });
  network_seconds_ += wall_seconds() - began;
  network_steps_ += step - at.step;
  fit_budget(step);
  const NetworkTrainer::Progress progress = trainer_->take_progress();
  active_ += progress.active;
  batches_ += progress.batches;
  return {step - at.step, progress.examples, progress.loss, step == epoch_end,
          progress.busy_seconds};
}

double SparseTraining::epochs_done(const RunPosition& at) const {
  return static_cast<double>(at.step) / static_cast<double>(trainer_->batches_per_epoch());
}

/// Lets the learning rate fall to 0 where the time will be over, at the pace so far.
void SparseTraining::fit_budget(std::uint64_t step) {
  if (options_.time_budget <= 0 || network_steps_ == 0) return;
  const double left = options_.time_budget - clock_.seconds();
  const double pace = static_cast<double>(network_steps_) / network_seconds_;
  auto steps = static_cast<std::uint64_t>(std::max(1.0, left * pace));
  ranks_.broadcast(std::as_writable_bytes(std::span(&steps, 1)), 0);
  trainer_->set_total_steps(std::min(total_steps(), step + steps));
}

/// After a whole epoch, or what the time budget left of the last one.
void SparseTraining::end_epoch(const RunPosition& at, StepValues& values) {
  result_.mean_active = active_ / static_cast<double>(std::max<std::uint64_t>(1, batches_));
  active_ = 0;
  batches_ = 0;
  if (output_) result_.output = output_->figures();
  values.insert(values.end(), result_.output.values.begin(), result_.output.values.end());
  log_verbose("epoch ", epochs_done(at), ": loss ", at.loss);
  for (const std::string& remark : result_.output.remarks) log_verbose(remark);
}

Scores SparseTraining::validate(const RunPosition&) {
  evaluate_validation();
  const auto& precision = result_.validation->precision;
  return {{{"p_at_1", precision[0]}, {"p_at_5", precision[2]}}, precision[0], 0};
}

std::unique_ptr<Scorer> SparseTraining::validation_scorer(std::size_t ranks) const {
  const Plan& plan = result_.plan;
  if (engine_) return trainer_->scorer(ranks);
  return make_scorer(plan.has_network() ? &network_ : nullptr,
                     plan.has_trees() ? &forest_ : nullptr, label_counts_, {.top_k = ranks});
}

/// By the first rank, which tells the others what decides about the run.
void SparseTraining::evaluate_validation() {
  bring_together();
  Evaluation told;
  if (is_first()) {
    evaluate_here();
    told = *result_.validation;
  }
  ranks_.broadcast(std::as_writable_bytes(std::span(told.precision)), 0);
  if (!is_first()) result_.validation = told;
}

void SparseTraining::evaluate_here() {
  result_.validation = evaluate(*validation_scorer(kEvaluatedRanks), validation_, label_counts_);
  if (!options_.fitted_f1 || result_.facts.single_label) return;
  take_fitted_f1(*validation_scorer(kDecidedRanks), validation_, label_counts_,
                 *result_.validation);
}

void SparseTraining::bring_together() {
  if (result_.plan.has_network()) bring_labels_to_first(ranks_, shards_, network_);
}

/// The optimiser's state lies among the weights.
void SparseTraining::save_model(Document& document) const {
  if (trainer_) trainer_->bring_back();
  save_training_state(network_, document);
}

void SparseTraining::load_model(Document& document, const std::string& place) {
  restore_training_state(document, place, network_);
  trainer_->take_anew();
}

void SparseTraining::save_state(Document& state) {
  if (output_) output_->save(state);
  if (result_.plan.has_trees()) forest_.save(state);
  store_plan(result_.plan, state.metadata);
  store_search(search_, state.metadata);
  if (shards_.count > 1) store_label_shards(shards_.count, state.metadata);
}

void SparseTraining::resume(Document& state, const std::string& path) {
  load_model(state, path);
  if (output_) output_->restore(state, path);
}

/// Before and after the network's passes.
void SparseTraining::save_checkpoint() {
  clock_.checkpoint_was_written();
  if (!checkpoint_->exists()) return;
  bring_together();
  if (!is_first()) return;
  Document state;
  save_state(state);
  if (result_.plan.has_network()) save_model(state);
  at_.save(state);
  checkpoint_->save(std::move(state));
  log_verbose("checkpoint written at step ", at_.step);
}

}  // namespace frugal::sparse
