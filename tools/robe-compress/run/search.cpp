#include <algorithm>

#include "libcore/base/error.h"
#include "libcore/embedding/embedding_file.h"
#include "libcore/embedding/full_embedding.h"
#include "libcore/system/clock.h"
#include "libcore/system/signals.h"
#include "tools/robe-compress/data/click_data.h"
#include "tools/robe-compress/run/training.h"
#include "tools/robe-compress/search/blended_model.h"
#include "tools/robe-compress/search/hot_search.h"
#include "tools/robe-compress/search/linear_search.h"
#include "tools/robe-compress/steps/linear_trainer.h"
#include "tools/robe-compress/steps/train_rates.h"

namespace frugal::robe {
namespace {

/// Share of the time budget for searching how to train.
constexpr double kSearchShare = 0.5;
/// L2 penalty of a linear model if too few samples can be held back: scikit-learn's default.
constexpr float kUsualL2 = 1;
/// Most samples for which a linear model is tried. With more, it learns little that a network does
/// not, and its sweeps take long.
constexpr std::uint64_t kMostChosenSamples = 1'000'000;

/// True if the second epoch ranks the held-back samples better than the first. Then the network
/// does not overfit at once, and a penalty lets it learn more.
bool ranks_better_again(const Trial& trial) {
  return trial.epochs.size() > 1 &&
         trial.epochs[1].figures.auc.value_or(0) > trial.epochs[0].figures.auc.value_or(0);
}

}  // namespace

ModelCandidates::Name ModelCandidates::best() const {
  const double of_linear = linear_figures.log_loss, of_mean = mean_figures.log_loss;
  if (network_figures.log_loss <= std::min(of_linear, of_mean)) return network;
  return of_linear < of_mean ? linear : mean;
}

/// True if the number of epochs must be found before training.
bool ClickTraining::needs_epochs() const {
  return ends_by_validation(options_) && !ends_by_validation_;
}

/// Whether a signal to one of the ranks ends the run.
bool ClickTraining::is_stopped() const {
  return any_of_ranks(ranks_, stop_requested() ? 1 : 0) != 0;
}

/// Whether trials have had their time.
bool ClickTraining::search_is_over() const {
  return stop_requested() || clock_.out_of_time(kSearchShare);
}

/// A model of these options that has not been trained.
TrialModel ClickTraining::new_model(const TrainOptions& options, double hot_share) const {
  const ClickEncoder& encoder = samples_->encoder();
  const TableSet tables = tables_of(encoder, options.dim);
  const NetworkShape shape{encoder.num_numbers(), encoder.num_fields(), options.dim};
  check_training_memory(options, tables, shape);
  auto network = make_network(options.network, shape, options.seed);
  if (find_architecture(options.network.architecture).is_linear) {
    return {std::make_unique<FullEmbedding>(tables), std::move(network)};
  }
  EmbeddingOptions embedding = options.embedding;
  embedding.seed = options.seed;
  embedding.hot_share = hot_share;
  return {make_embedding(tables, embedding, samples_->row_counts()), std::move(network)};
}

void ClickTraining::make_model() {
  if (!options_.exact_size) {
    options_.embedding =
        fitting_options(tables_of(samples_->encoder(), options_.dim), options_.embedding);
  }
  if (options_.embedding.method == "robe-hot") {
    found_share_ = options_.find_hot_share ? find_hot_share() : options_.embedding.hot_share;
  }
  if (needs_epochs() && found_epochs_ == 0) find_epochs(new_model(options_, found_share_));
  if (is_linear() && options_.find_l2) find_l2(new_model(options_, 0));
  if (!kept_) return put(new_model(options_, found_share_));
  put({load_embedding(kept_->state, "the trial's model"),
       load_network(kept_->state, "the trial's model", options_.network.precision)});
  train_for_storage(*embedding_, options_.embedding);
  kept_steps_ = kept_->steps;
}

/// Continues with the state of the trial's model.
void ClickTraining::continue_trial() {
  embedding_->load_state(kept_->state, "the trial's model");
  network_->load_state(kept_->state, "the trial's model");
  trainer_->set_step(kept_steps_);
  kept_->state = {};
}

/// Adds the steps of a trial that the run continued to its figures.
void ClickTraining::count_trial() {
  result_.steps += kept_steps_;
  if (!kept_) {
    result_.resumed_from += kept_steps_;
    return;
  }
  result_.samples += kept_->samples;
  result_.fit_seconds += kept_->seconds;
  result_.fit_cpu_seconds += kept_->cpu_seconds;
  for (double& seconds : result_.epoch_seconds) seconds += kept_->seconds;
  result_.search_seconds -= kept_->seconds;
}

/// Takes what a trial found, nothing where it is empty.
void ClickTraining::take_epochs(const std::vector<EpochTrial>& trials) {
  const auto best = std::find_if(trials.begin(), trials.end(),
                                 [](const EpochTrial& trial) { return trial.chosen; });
  found_epochs_ = best == trials.end() ? epochs_by_size(num_samples())
                                       : static_cast<int>(best - trials.begin()) + 1;
  if (best != trials.end()) held_back_ = best->figures;
}

/// Trains a model for as long as samples that are held back get likelier; takes as many epochs.
void ClickTraining::find_epochs(TrialModel model) {
  const double began = wall_seconds();
  ClickData& data = *samples_->data();
  Trial trial;
  HeldBack held_back(data);
  if (held_back.suffices()) trial = run_epochs(held_back, options_, model);
  take_epochs(trial.epochs);
  kept_ = std::move(trial.kept);
  if (may_choose() && trial.best_epoch() > 0) choose_model(held_back, std::move(trial));
  result_.search_seconds += wall_seconds() - began;
}

Trial ClickTraining::run_epochs(HeldBack& held_back, const TrainOptions& options,
                                TrialModel& model) {
  ClickData& data = *samples_->data();
  Trial trial = run_trial(data, held_back, options, model,
                          {.most_samples = data.size(), .keep = may_choose(), .stop = [this] {
                             return search_is_over();
                           }});
  if (observer_.tried_epochs) observer_.tried_epochs(options, trial.epochs);
  return trial;
}

/// Whether the model may be another than the options describe: nobody says what it is, and this
/// process knows how to train all.
bool ClickTraining::may_choose() const {
  return chooses_ && choice_ != ModelChoice::linear && ranks_.size() == 1 &&
         options_.joint.accumulate == 1 &&
         (options_.device == "cpu" || options_.device == "auto") &&
         num_samples() <= kMostChosenSamples && !samples_->row_counts().empty();
}

/// With those held back.
std::uint64_t ClickTraining::num_samples() const {
  const ClickData* data = samples_->data();
  return data == nullptr ? 0 : data->size() + data->num_held_back();
}

/// Tries other models than the network of `trial` on the same samples, and takes what has the
/// lowest log-loss.
void ClickTraining::choose_model(HeldBack& held_back, Trial trial) {
  if (ranks_better_again(trial)) {
    TrainOptions options = with_choice(options_, ModelChoice::regularized, num_samples());
    options.patience = 1;  // a trial on top of another
    TrialModel model = new_model(options, 0);
    Trial other = run_epochs(held_back, options, model);
    if (other.best_epoch() > 0 && best_of(other).log_loss < best_of(trial).log_loss) {
      trial = std::move(other);
      take_choice(ModelChoice::regularized);
      take_epochs(trial.epochs);
      kept_ = std::move(trial.kept);
    }
  }
  const TrainOptions options = with_choice(options_, ModelChoice::linear, num_samples());
  TrialModel model = new_model(options, 0);
  const std::optional<L2Trial> linear = try_l2(held_back, options, model);
  if (!linear) return;
  take_best({best_of(trial), linear->figures,
             learnt_figures(mean_grade(trial.best, linear->answers).metrics), linear->l2});
  if (result_.candidates->best() == ModelCandidates::linear) {
    take_choice(ModelChoice::linear);
    take_l2(*linear);
  } else if (result_.candidates->best() == ModelCandidates::mean) {
    linear_l2_ = linear->l2;
  }
}

void ClickTraining::take_best(const ModelCandidates& candidates) {
  result_.candidates = candidates;
  if (observer_.compared) observer_.compared(candidates);
}

/// Where validation ends the run and there was no trial: trains a linear model when the network is
/// trained. The model is then what has the lowest log-loss on the validation samples.
void ClickTraining::choose_by_validation() {
  const TrainOptions options = with_choice(options_, ModelChoice::linear, num_samples());
  std::optional<L2Trial> found;
  {
    TrialModel model = new_model(options, 0);
    HeldBack held_back(*samples_->data());
    if (held_back.suffices()) found = try_l2(held_back, options, model);
  }
  if (!found) return;
  if (!result_.validation) result_.validation = evaluate_validation();
  const LearntFigures network = learnt_figures(*result_.validation);
  RunFigures of_linear;
  TrialModel linear = train_linear(found->l2, of_linear);
  TrialModel dlrm = take_apart();
  TrialModel mean = blend(dlrm, linear, options_.network);
  take_best({network, grade(linear), grade(mean), found->l2});
  switch (result_.candidates->best()) {
    case ModelCandidates::network: return put(std::move(dlrm));
    case ModelCandidates::mean: return take_mean(std::move(mean));
    case ModelCandidates::linear: break;
  }
  take_choice(ModelChoice::linear);
  take_l2(*found);
  take_figures(std::move(of_linear));
  put(std::move(linear));
}

/// Reports the training of the model that is written; the network's has become a trial.
void ClickTraining::take_figures(RunFigures figures) {
  result_.search_seconds += result_.fit_seconds - figures.fit_seconds;
  figures.resumed_from = result_.resumed_from;
  figures.eval_seconds = result_.eval_seconds;
  static_cast<RunFigures&>(result_) = std::move(figures);
  ends_by_validation_ = false;
}

/// Once the network is trained: what the model is beside it.
void ClickTraining::finish_choice() {
  const double began = wall_seconds();
  if (linear_l2_ > 0) {
    RunFigures ignored;
    const TrialModel linear = train_linear(linear_l2_, ignored);
    take_mean(blend(take_apart(), linear, options_.network));
  } else if (may_choose() && can_validate() && !clock_.out_of_time()) {
    choose_by_validation();
  } else {
    return;
  }
  result_.validation.reset();
  find_facts();
  result_.search_seconds += wall_seconds() - began;
}

void ClickTraining::take_mean(TrialModel mean) {
  options_.dim = mean.embedding->tables().dim();
  options_.network.architecture = mean.network->architecture();
  put(std::move(mean));
}

TrialModel ClickTraining::take_apart() { return {std::move(embedding_), std::move(network_)}; }

void ClickTraining::put(TrialModel model) {
  embedding_ = std::move(model.embedding);
  network_ = std::move(model.network);
}

/// On the validation samples.
LearntFigures ClickTraining::grade(TrialModel& model) {
  put(std::move(model));
  const LearntFigures figures = learnt_figures(evaluate_validation());
  model = take_apart();
  return figures;
}

/// A linear model of all samples, with the figures of its training.
TrialModel ClickTraining::train_linear(double l2, RunFigures& figures) {
  TrainOptions options = with_choice(options_, ModelChoice::linear, num_samples());
  options.embedding_l2 = static_cast<float>(l2);
  TrialModel model = new_model(options, 0);
  ClickData& data = *samples_->data();
  const auto trainer = make_linear_trainer(*model.embedding, *model.network,
                                           make_setup(options, data.encoder(), std::nullopt));
  const double began = wall_seconds(), cpu = cpu_seconds();
  for (int sweep = 0; sweep < options.epochs; ++sweep) {
    data.start_epoch(options.seed, static_cast<std::uint64_t>(sweep));
    figures.steps += trainer->run(data, 1, [] { return false; });
    const BatchTrainer::Progress progress = trainer->take_progress();
    figures.samples += progress.samples;
    figures.loss =
        progress.loss / static_cast<double>(std::max<std::uint64_t>(1, progress.samples));
  }
  figures.fit_seconds = wall_seconds() - began;
  figures.fit_cpu_seconds = cpu_seconds() - cpu;
  figures.epochs = figures.best_epoch = options.epochs;
  return model;
}

void ClickTraining::take_l2(const L2Trial& trial) {
  options_.embedding_l2 = static_cast<float>(trial.l2);
  options_.find_l2 = false;
  held_back_ = trial.figures;
}

/// Trains as that choice says from now on.
void ClickTraining::take_choice(ModelChoice choice) {
  choice_ = choice;
  options_ = with_choice(std::move(options_), choice, num_samples());
  if (choice != ModelChoice::linear) return;
  found_epochs_ = 0;
  kept_.reset();
  patience_ = {};
  batches_.size = options_.batch_size;
}

/// The best strength of the penalty of a linear model; nothing: there was no time.
std::optional<L2Trial> ClickTraining::try_l2(HeldBack& held_back, const TrainOptions& options,
                                             TrialModel& model) {
  std::vector<L2Trial> trials =
      search_l2(*samples_->data(), held_back, options, model, [this] { return search_is_over(); });
  for (L2Trial& trial : trials) {
    if (trial.chosen) return std::move(trial);
  }
  return std::nullopt;
}

void ClickTraining::find_l2(TrialModel model) {
  const double began = wall_seconds();
  HeldBack held_back(*samples_->data());
  std::optional<L2Trial> best;
  if (held_back.suffices()) best = try_l2(held_back, options_, model);
  if (best) {
    take_l2(*best);
    if (observer_.tried_linear) observer_.tried_linear(*best);
  } else {
    options_.embedding_l2 = kUsualL2;
  }
  result_.search_seconds += wall_seconds() - began;
}

double ClickTraining::find_hot_share() {
  const RowCounts counts = samples_->row_counts();
  if (counts.empty()) {
    fail(ExitStatus::usage, "robe-hot needs to know how often rows occur: use --ids count");
  }
  const double began = wall_seconds();
  const std::vector<HotTrial> trials = search_hot_share(
      *samples_->data(), options_, counts,
      [this](double share) { return new_model(options_, share); },
      [this] { return search_is_over(); });
  result_.search_seconds += wall_seconds() - began;
  const auto chosen =
      std::find_if(trials.begin(), trials.end(), [](const HotTrial& t) { return t.chosen; });
  if (chosen == trials.end()) return 0;
  if (observer_.tried) observer_.tried(trials);
  if (needs_epochs()) {
    take_epochs(chosen->epochs);
    if (observer_.tried_epochs) observer_.tried_epochs(options_, chosen->epochs);
  }
  return chosen->share;
}

}  // namespace frugal::robe
