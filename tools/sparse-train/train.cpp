#include "tools/sparse-train/train.h"

#include <algorithm>
#include <memory>

#include "libcore/base/error.h"
#include "libcore/base/log.h"
#include "libcore/base/text.h"
#include "libcore/metrics/run_log.h"
#include "libcore/system/clock.h"
#include "libcore/system/output_file.h"
#include "libcore/system/signals.h"
#include "tools/sparse-train/init_search.h"
#include "tools/sparse-train/model.h"
#include "tools/sparse-train/model_info.h"
#include "tools/sparse-train/network/predictor.h"
#include "tools/sparse-train/network/trainer.h"
#include "tools/sparse-train/network/training_state.h"
#include "tools/sparse-train/rate_search.h"
#include "tools/sparse-train/text_report.h"
#include "tools/sparse-train/train_init.h"
#include "tools/sparse-train/training_input.h"
#include "tools/sparse-train/training_setup.h"
#include "tools/sparse-train/tree/forest_extension.h"

namespace frugal {
namespace {

constexpr double kProgressSeconds = 0.2;
constexpr double kTimeForSearch = 0.3;  ///< share of a time budget after which a search ends
constexpr double kTimeForTrees = 0.5;   ///< share of a time budget after which a network begins

/// The run of one training: data, network, and the loop over epochs, checkpoints and validation.
class TrainingRun {
 public:
  TrainingRun(TrainOptions options, const TrainObserver& observer)
      : options_(std::move(options)),
        asked_(options_),
        observer_(observer),
        began_(wall_seconds()) {}

  TrainResult run() {
    for (const std::string& output : {options_.model, options_.checkpoint}) {
      check_output(output);
    }
    search();
    if (result_.stopped) return result_;
    read();
    build();
    if (result_.stopped) return result_;
    resume();
    if (result_.plan.tree) grow_trees();
    if (result_.plan.network && !result_.stopped) loop();
    drop_untrained_network();
    count_passes();
    if (!result_.stopped) decide();
    if (!result_.stopped) write_model();
    return result_;
  }

 private:
  void search();
  void read();
  void build();
  void weigh_steps();
  void build_network();
  void fit_budget();
  void resume();
  void grow_trees();
  void finish_tree();
  void loop();
  void drop_untrained_network();
  void count_passes();
  void decide();
  bool interrupted();
  void report_progress();
  void finish_epoch();
  void validate(double pass, StepValues& values);
  void save_checkpoint();
  void release_data();
  void write_model();
  double epochs_done() const {
    return static_cast<double>(step_) / static_cast<double>(trainer_->batches_per_epoch());
  }
  std::uint64_t total_steps() const {
    return trainer_->batches_per_epoch() * static_cast<std::uint64_t>(result_.plan.epochs);
  }
  /// Whether this share of the time budget is used up.
  bool out_of_time(double share = 1) const {
    return options_.time_budget > 0 && wall_seconds() - began_ >= share * options_.time_budget;
  }

  TrainOptions options_;  ///< definite after search()
  TrainOptions asked_;    ///< as they came
  const TrainObserver& observer_;
  double began_;
  TrainResult result_;
  bool normalize_ = true;
  std::optional<Decisions> decisions_;
  std::string initial_fingerprint_;   ///< "" without --init
  std::optional<LabelForest> start_;  ///< of --init, with room for the labels of the data
  std::optional<Model> initial_;  ///< --init; without its featurizer, which goes on in featurizer_
  std::unique_ptr<Featurizer> featurizer_;
  Dataset data_;
  Dataset validation_;
  LabelCounts label_counts_;
  LabelForest forest_;
  Network network_;
  std::unique_ptr<OutputLayer> output_;
  std::unique_ptr<Trainer> trainer_;
  std::unique_ptr<CheckpointFile> checkpoint_;
  std::uint64_t step_ = 0;
  double last_checkpoint_ = 0;
  double last_progress_ = 0;
  bool checkpoint_asked_ = false;
};

/// What the options leave open for text is chosen on examples that are held out.
void TrainingRun::search() {
  TextSearchObserver observer;
  observer.tried = observer_.tried;
  observer.stop = [this] { return stop_requested() || out_of_time(kTimeForSearch); };
  if (const std::optional<TextChoice> choice = search_text(options_, observer)) {
    apply_candidate(choice->trials[choice->best].candidate, options_);
    result_.search = std::make_shared<TextChoice>(*choice);
  }
  options_.features = with_default_ngrams(options_.features);
  result_.search_seconds = wall_seconds() - began_;
  result_.stopped = stop_requested();
}

void TrainingRun::read() {
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
  if (!result_.search) {
    result_.search_skipped =
        search_skipped(asked_, *featurizer_, data_.size(), out_of_time(kTimeForSearch));
  }
  result_.read_seconds = wall_seconds() - began;
}

void TrainingRun::build() {
  Plan& plan = result_.plan = initial_
                                  ? plan_continuation(*initial_, options_.settings, result_.facts)
                                  : plan_training(options_.settings, result_.facts);
  plan.forest.seed = options_.seed;
  if (initial_ && initial_->forest) start_ = extend_forest(std::move(*initial_->forest), data_);
  if (initial_) weigh_steps();
  if (result_.stopped) return;
  if (result_.search) plan.reasons.insert(plan.reasons.begin(), choice_text(*result_.search));
  if (!result_.search_skipped.empty()) {
    plan.reasons.insert(plan.reasons.begin(),
                        "settings of text were not searched for: " + result_.search_skipped);
  }
  if (plan.network) check_network_memory(plan, data_, options_.data);
  if (plan.network && options_.settings.find_learning_rate) {
    plan.learning_rate = find_learning_rate(plan, data_, options_.seed, options_.precision);
    plan.reasons.push_back("learning rate " + format_number(plan.learning_rate) +
                           ": best in short trainings on part of the data");
  }
  if (observer_.planned) observer_.planned(plan, result_.facts);
  if (plan.network && options_.settings.learning_rate > 0) warn_of_small_steps(plan, data_);
  if (plan.network) build_network();
}

/// Examples that a model knows already should hardly move it. New labels are no such.
void TrainingRun::weigh_steps() {
  const QuickStart start{initial_->network ? &*initial_->network : nullptr,
                         start_ ? &*start_ : nullptr};
  if (data_.num_labels <= initial_->label_counts.counts.size())
    weigh_steps_by_data(options_, start, data_, result_.plan);
  result_.stopped = stop_requested();
}

void TrainingRun::build_network() {
  const Plan& plan = result_.plan;
  network_ = Network(network_shape(plan, data_), plan.optimizer);
  network_.initialize(options_.seed);
  if (initial_) copy_parameters(*initial_->network, network_);
  output_ = make_output(plan, network_, data_, options_.seed, options_.precision);
  trainer_ = std::make_unique<Trainer>(
      network_, *output_, data_, trainer_setup(plan, data_, options_.seed, options_.precision));
}

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

/// What was done, and whether the time budget left something out.
void TrainingRun::count_passes() {
  const Plan& plan = result_.plan;
  result_.trees = forest_.trees.size();
  if (plan.network) result_.epochs = epochs_done();
  if (result_.stopped) return;
  result_.cut_short |= plan.tree && result_.trees < plan.forest.trees;
  result_.cut_short |= plan.network && step_ < total_steps();
  if (!plan.network || step_ != 0) return;
  log_warning("the time budget of ", format_seconds(options_.time_budget),
              " ended before the first batch: the network has learnt nothing");
}

/// Trees that took the whole time budget stand alone: noise beside them would make them worse.
void TrainingRun::drop_untrained_network() {
  if (!result_.plan.tree || !result_.plan.network || step_ != 0 || result_.stopped) return;
  result_.plan.network = false;
  result_.cut_short = true;
  result_.plan.reasons.emplace_back("no network: the trees took the time budget");
  log_info("the trees took the time budget: the model has no network");
}

/// Fits thresholds on held-out examples, as the last thing: a stop in between loses nothing else. A
/// model that goes on keeps those that it has.
void TrainingRun::decide() {
  if (initial_ && initial_->decisions) decisions_ = std::move(initial_->decisions);
  if (decisions_) decisions_->extend(data_.num_labels);
  if (initial_) return;
  const bool by_data = options_.calibration == "auto" && wants_calibration(result_.facts);
  if (!by_data && options_.calibration != "held-out") return;
  const double began = wall_seconds();
  result_.calibration = calibrate(result_.plan, data_, options_.seed, options_.precision,
                                  [this] { return stop_requested() || out_of_time(); });
  result_.calibration_seconds = wall_seconds() - began;
  if (result_.calibration) decisions_ = result_.calibration->decisions;
  if (result_.calibration) return;
  if ((result_.stopped = stop_requested())) return save_checkpoint();
  result_.cut_short |= out_of_time();
  log_warning(out_of_time() ? "the time budget left no time to fit thresholds of labels"
                            : "the examples are too few to fit thresholds of labels");
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
  checkpoint_->save(std::move(state));
  log_verbose("checkpoint written at step ", step_);
}

/// Makes room for what the model file needs beside the network.
void TrainingRun::release_data() {
  trainer_.reset();
  output_.reset();
  data_ = {};
  validation_ = {};
}

void TrainingRun::write_model() {
  const double began = wall_seconds();
  release_data();
  Model model{std::move(*featurizer_), std::move(label_counts_), normalize_, {}, {}, {}};
  model.decisions = std::move(decisions_);
  if (result_.plan.network) model.network = std::move(network_);
  if (result_.plan.tree) model.forest = std::move(forest_);
  Document document;
  save_model(std::move(model), document);
  document.metadata["frugal.config"] = options_.config;
  document.metadata["frugal.history"] = "[" + options_.history_entry + "]";
  document.metadata["frugal.seed"] = std::to_string(options_.seed);
  document.metadata["model.training"] = training_figures(result_);
  TensorWriteOptions write;
  write.if_changed = options_.if_changed;
  write_document(options_.model, document, write);
  result_.write_seconds = wall_seconds() - began;
}

}  // namespace

TrainResult train(const TrainOptions& options, const TrainObserver& observer) {
  return TrainingRun(options, observer).run();
}

}  // namespace frugal
