#include <algorithm>

#include "libcore/base/log.h"
#include "libcore/base/text.h"
#include "libcore/system/signals.h"
#include "tools/sparse-train/network/predictor.h"
#include "tools/sparse-train/network/training_state.h"
#include "tools/sparse-train/training_run.h"
#include "tools/sparse-train/training_setup.h"

namespace frugal::sparse {
namespace {

constexpr double kProgressSeconds = 0.2;
constexpr double kTimeForTrees = 0.5;  ///< share of a time budget after which a network begins

}  // namespace

void TrainingRun::resume() {
  last_checkpoint_ = wall_seconds();
  if (options_.checkpoint.empty()) return;
  RunIdentity identity;
  identity["training data"] = fingerprint(data_);
  identity["configuration"] = plan_text(result_.plan) + " seed=" + std::to_string(options_.seed) +
                              " precision=" + std::to_string(static_cast<int>(options_.precision));
  identity["initial model"] = initial_fingerprint_;
  checkpoint_ = std::make_unique<CheckpointFile>(options_.checkpoint, "sparse-train", identity);
  if (!options_.resume) return;
  const std::optional<Document> state = checkpoint_->load();
  if (!state) {
    log_info("no checkpoint at ", options_.checkpoint, " yet: training from the start");
    return;
  }
  if (result_.plan.tree) {
    forest_ = LabelForest::load(*state, options_.checkpoint);
    log_info("going on with ", forest_.trees.size(), " of ", result_.plan.forest.trees, " trees");
  }
  if (!result_.plan.network) return;
  step_ = result_.resumed_from = restore_training_state(*state, options_.checkpoint, network_);
  output_->restore(*state, options_.checkpoint);
  if (observer_.log != nullptr) observer_.log->resume_after(static_cast<std::int64_t>(step_));
  log_info("going on from step ", step_, " of ", total_steps());
}

/// A forest takes its checkpoints between trees.
void TrainingRun::grow_trees() {
  ForestObserver observer;
  observer.progress = [this](double trees) {
    const double now = wall_seconds();
    if (observer_.progress && now - last_progress_ >= kProgressSeconds) {
      last_progress_ = now;
      observer_.progress(trees, "");
    }
    return !stop_requested();
  };
  double began = wall_seconds();
  observer.grown = [&] {
    result_.fit_seconds += wall_seconds() - began;
    finish_tree();
    began = wall_seconds();
    return !out_of_time(result_.plan.network ? kTimeForTrees : 1);
  };
  result_.stopped =
      !grow_forest(data_, result_.plan.forest, observer, forest_, start_ ? &*start_ : nullptr);
  start_.reset();
  if (result_.stopped) save_checkpoint();
}

void TrainingRun::finish_tree() {
  const auto trees = static_cast<int>(forest_.trees.size());
  log_verbose("tree ", trees, ": ", format_bytes(forest_.trees.back().num_bytes()));
  if (!result_.plan.network) {
    StepValues values = {{"tree", trees}, {"fit_seconds", result_.fit_seconds}};
    validate(trees, values);
    if (observer_.log != nullptr) observer_.log->step(trees, values);
  }
  save_checkpoint();
}

void TrainingRun::loop() {
  const std::uint64_t per_epoch = trainer_->batches_per_epoch();
  while (step_ < total_steps() && !out_of_time()) {
    const std::uint64_t epoch_end = (step_ / per_epoch + 1) * per_epoch;
    const double began = wall_seconds();
    step_ = trainer_->run(step_, epoch_end, [this] { return interrupted(); });
    result_.fit_seconds += wall_seconds() - began;
    fit_budget();
    report_progress();
    if (step_ == epoch_end) finish_epoch();
    const bool due = wall_seconds() - last_checkpoint_ >= options_.checkpoint_seconds;
    checkpoint_asked_ |= take_checkpoint_request();
    if (stop_requested() || checkpoint_asked_ || due) save_checkpoint();
    if (stop_requested()) {
      result_.stopped = true;
      break;
    }
  }
  const bool in_an_epoch = step_ % per_epoch != 0;
  if (in_an_epoch && !result_.stopped && step_ != result_.resumed_from) finish_epoch();
  result_.steps = step_;
  if (!result_.stopped && step_ < total_steps()) save_checkpoint();  // more time can be given
}

/// Lets the learning rate fall to 0 where the time will be over, at the pace so far.
void TrainingRun::fit_budget() {
  if (options_.time_budget <= 0 || step_ == result_.resumed_from) return;
  const double left = options_.time_budget - (wall_seconds() - began_);
  const double pace = static_cast<double>(step_ - result_.resumed_from) / result_.fit_seconds;
  const auto steps = static_cast<std::uint64_t>(std::max(1.0, left * pace));
  trainer_->set_total_steps(std::min(total_steps(), step_ + steps));
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
  if (!observer_.progress) return;
  const auto trees = static_cast<double>(forest_.trees.size());
  observer_.progress(trees + epochs_done(),
                     result_.loss > 0 ? "loss " + format_number(result_.loss, 4) : "");
}

/// After a whole epoch, or what the time budget left of the last one.
void TrainingRun::finish_epoch() {
  const Trainer::Progress progress = trainer_->take_progress();
  const double epoch = epochs_done();
  result_.loss = progress.loss / static_cast<double>(std::max<std::uint64_t>(1, progress.examples));
  result_.mean_active = static_cast<double>(progress.active) /
                        static_cast<double>(std::max<std::uint64_t>(1, progress.batches));
  StepValues values = {
      {"epoch", epoch}, {"loss", result_.loss}, {"fit_seconds", result_.fit_seconds}};
  validate(epoch, values);
  result_.output = output_->figures();
  values.insert(values.end(), result_.output.values.begin(), result_.output.values.end());
  log_verbose("epoch ", epoch, ": loss ", result_.loss);
  for (const std::string& remark : result_.output.remarks) log_verbose(remark);
  if (observer_.log != nullptr) observer_.log->step(static_cast<std::int64_t>(step_), values);
}

void TrainingRun::validate(double pass, StepValues& values) {
  if (validation_.size() == 0) return;
  const Plan& plan = result_.plan;
  const std::unique_ptr<Scorer> scorer =
      make_scorer(plan.network ? &network_ : nullptr, plan.tree ? &forest_ : nullptr, label_counts_,
                  {.top_k = kEvaluatedRanks});
  result_.validation = evaluate(*scorer, validation_, label_counts_);
  if (options_.fitted_f1 && !result_.facts.single_label) {
    const auto ranked =
        make_scorer(plan.network ? &network_ : nullptr, plan.tree ? &forest_ : nullptr,
                    label_counts_, {.top_k = kDecidedRanks});
    take_fitted_f1(*ranked, validation_, label_counts_, *result_.validation);
  }
  values.emplace_back("validation_p_at_1", result_.validation->precision[0]);
  values.emplace_back("validation_p_at_5", result_.validation->precision[2]);
  if (observer_.validated) observer_.validated(pass, *result_.validation);
}

void TrainingRun::save_checkpoint() {
  last_checkpoint_ = wall_seconds();
  checkpoint_asked_ = false;
  if (!checkpoint_) return;
  Document state;
  if (result_.plan.network) {
    state = training_state(network_, step_);
    output_->save(state);
  }
  if (result_.plan.tree) forest_.save(state);
  store_search(search_, state.metadata);
  checkpoint_->save(std::move(state));
  log_verbose("checkpoint written at step ", step_);
}

}  // namespace frugal::sparse
