#include "tools/gnn-sample/train.h"

#include <algorithm>
#include <cmath>
#include <memory>

#include "libcore/base/error.h"
#include "libcore/base/log.h"
#include "libcore/base/text.h"
#include "libcore/metrics/run_log.h"
#include "libcore/nn/checkpoint.h"
#include "libcore/nn/schedule.h"
#include "libcore/system/clock.h"
#include "libcore/system/limits.h"
#include "libcore/system/output_file.h"
#include "libcore/system/signals.h"
#include "libcore/threading/parallel.h"
#include "libcore/threading/prepared_queue.h"
#include "tools/gnn-sample/data/finite_features.h"
#include "tools/gnn-sample/inference.h"
#include "tools/gnn-sample/model_file.h"
#include "tools/gnn-sample/train_batch.h"
#include "tools/gnn-sample/train_identity.h"
#include "tools/gnn-sample/train_position.h"
#include "tools/gnn-sample/train_task.h"

namespace frugal::gnn {
namespace {

constexpr double kProgressSeconds = 0.2;

/// The run of one training: graph, model, and the loop over steps, validations and checkpoints.
class TrainingRun {
 public:
  TrainingRun(const TrainOptions& options, const TrainObserver& observer)
      : options_(options), observer_(observer), began_(wall_seconds()) {}
  TrainResult run();

 private:
  bool has(Part part) const { return task_->num_seeds(part) != 0; }
  void read_graph();
  void make_model();
  void begin_or_resume();
  BatchMaker::Setup batch_setup() const;
  SeedBatchOptions seed_options() const;
  void loop();
  void train_on(const TrainBatch& batch);
  bool finish_epoch();
  void finish_last_epoch();
  double mean_loss() const {
    return at_.loss_sum / static_cast<double>(std::max<std::uint64_t>(1, at_.loss_nodes));
  }
  TaskMetrics evaluate(Part part);
  void validate();
  void keep_best();
  void take_best();
  void see_to_requests();
  void save_checkpoint();
  void report_progress();
  void write_model();
  std::uint64_t total_steps() const;
  bool out_of_time() const {
    return options_.time_budget > 0 && wall_seconds() - began_ >= options_.time_budget;
  }

  TrainOptions options_;
  const TrainObserver& observer_;
  double began_;
  std::unique_ptr<StoredGraph> graph_;
  std::unique_ptr<TrainTask> task_;
  std::unique_ptr<BatchMaker> maker_;
  std::unique_ptr<Inference> inference_;
  StoredModel stored_;
  std::unique_ptr<GnnRoom> room_;
  RowStore gradient_;
  Schedule schedule_;
  std::unique_ptr<CheckpointFile> checkpoint_;
  TrainPosition at_;
  std::uint64_t per_epoch_ = 0;
  double epoch_seconds_ = 0;
  double last_progress_ = 0, last_checkpoint_ = 0;
  bool epoch_is_whole_ = true;  ///< trained in this process from its beginning
  TrainResult result_;
};

TrainResult TrainingRun::run() {
  if (!options_.model.empty()) check_output(options_.model);
  if (!options_.checkpoint.empty()) check_output(options_.checkpoint);
  read_graph();
  make_model();
  begin_or_resume();
  if (observer_.begun) observer_.begun(result_.facts);
  loop();
  if (result_.stopped) return std::move(result_);
  take_best();
  if (has(Part::test)) result_.test = evaluate(Part::test);
  if (!options_.model.empty()) write_model();
  return std::move(result_);
}

void TrainingRun::read_graph() {
  const double began = wall_seconds();
  graph_ = std::make_unique<StoredGraph>(options_.graph, options_.residence);
  graph_->require_homogeneous();
  task_ = make_task(*graph_, options_);
  maker_ = std::make_unique<BatchMaker>(*graph_, batch_setup());
  if (!graph_->features_are_mapped()) check_finite(*graph_->features(), graph_->path());
  options_.network.num_layers = maker_->num_hops();
  result_.read_seconds = wall_seconds() - began;
}

BatchMaker::Setup TrainingRun::batch_setup() const {
  BatchMaker::Setup setup = task_->batch_setup();
  setup.degrees = options_.network.kind == GnnKind::gcn;
  return setup;
}

SeedBatchOptions TrainingRun::seed_options() const {
  SeedBatchOptions batches;
  batches.batch_size = options_.batch_size;
  batches.seed = options_.seed;
  batches.epochs = static_cast<std::uint64_t>(options_.epochs);
  batches.first = at_.step;
  return batches;
}

void TrainingRun::make_model() {
  stored_.fanouts = options_.sampling.fanouts;
  stored_.task = options_.task;
  stored_.several_labels = options_.task == "nodes" && !graph_->label_matrix().empty();
  const std::size_t features = graph_->features()->dim, outputs = task_->num_outputs();
  // At least: the first and last weights with gradients and Adam's two.
  const std::uint64_t numbers = (std::uint64_t{features} + outputs) * options_.network.hidden * 4;
  check_memory(graph_->path() + ": a network of " + std::to_string(features) + " features and " +
                   std::to_string(outputs) + " outputs",
               numbers * sizeof(float));
  stored_.model = std::make_unique<GnnModel>(options_.network, features, outputs);
  stored_.model->randomize(options_.seed);
  OptimizerOptions optimizer;
  optimizer.kind = optimizer_from_name(options_.optimizer);
  stored_.model->prepare_training(optimizer);
  room_ = stored_.model->make_room();
  InferenceOptions inference;
  inference.fanouts = options_.eval_fanouts;
  inference.batch_size = options_.batch_size;
  inference.seed = options_.seed;
  inference.fanouts_option = "--eval-fanouts";
  inference_ = std::make_unique<Inference>(*graph_, inference);
  inference_->check_fits(*stored_.model);
  task_->begin(seed_options());
  per_epoch_ = task_->batches_per_epoch();
  schedule_.kind = schedule_from_name(options_.schedule);
  schedule_.peak = options_.learning_rate;
  schedule_.total_steps = total_steps();
  TrainFacts& facts = result_.facts;
  facts = {graph_->num_nodes(),
           graph_->num_edges(),
           task_->num_seeds(Part::train),
           task_->num_seeds(Part::valid),
           task_->num_seeds(Part::test),
           features,
           outputs,
           stored_.model->num_parameters(),
           per_epoch_};
}

std::uint64_t TrainingRun::total_steps() const {
  const std::uint64_t all = per_epoch_ * static_cast<std::uint64_t>(options_.epochs);
  return options_.steps == 0 ? all : std::min(all, options_.steps);
}

void TrainingRun::begin_or_resume() {
  if (options_.checkpoint.empty()) return;
  checkpoint_ =
      std::make_unique<CheckpointFile>(options_.checkpoint, "gnn-sample",
                                       RunIdentity{{"configuration", training_text(options_)},
                                                   {"graph", graph_fingerprint(*graph_)}});
  if (!options_.resume) return;
  std::optional<Document> state = checkpoint_->load();
  if (!state) {
    log_info("no checkpoint at ", options_.checkpoint, " yet: training from the start");
    return;
  }
  stored_.model->load(*state, options_.checkpoint);
  stored_.model->load_state(*state, options_.checkpoint);
  at_ = TrainPosition::load(*state, options_.checkpoint);
  result_.resumed_from = at_.step;
  epoch_is_whole_ = at_.step % per_epoch_ == 0;
  if (observer_.log != nullptr) observer_.log->resume_after(static_cast<std::int64_t>(at_.step));
  log_info("going on from step ", at_.step);
}

void TrainingRun::loop() {
  last_checkpoint_ = wall_seconds();
  task_->begin(seed_options());
  // One in use, one to come for each thread that samples.
  PreparedQueue<TrainBatch> queue(static_cast<std::size_t>(num_threads()) + 1);
  queue.produce = [&](TrainBatch& batch) { return task_->next(batch); };
  queue.prepare = [&](TrainBatch& batch) {
    task_->complete(batch);
    maker_->make(batch);
  };
  double waited = 0;
  while (!result_.stopped && at_.step < total_steps() && !out_of_time()) {
    const double began = wall_seconds(), cpu = cpu_seconds();
    const TrainBatch* batch = queue.next();
    if (batch == nullptr) break;
    train_on(*batch);
    ++at_.step;
    const double seconds = wall_seconds() - began;
    epoch_seconds_ += seconds;
    result_.fit_seconds += seconds;
    result_.fit_cpu_seconds += cpu_seconds() - cpu;
    result_.waiting_seconds += queue.waiting_seconds() - waited;
    waited = queue.waiting_seconds();
    report_progress();
    if (at_.step % per_epoch_ == 0 && !finish_epoch()) break;
    see_to_requests();
  }
  if (!result_.stopped && at_.step != 0 && out_of_time()) save_checkpoint();  // more can be given
  if (!result_.stopped) finish_last_epoch();
  result_.steps = at_.step;
  result_.epochs = at_.epoch;
  result_.loss = at_.loss;
  if (result_.steps == 0) {
    fail(ExitStatus::usage, "--time-budget: ", format_seconds(wall_seconds() - began_),
         " went by before the first step; raise it");
  }
}

void TrainingRun::train_on(const TrainBatch& batch) {
  GnnModel& model = *stored_.model;
  const GnnPass pass{true, options_.seed, at_.step};
  const MatrixView<const float> outputs = model.forward(batch.model, pass, *room_);
  const double loss = task_->loss(batch, outputs, gradient_);
  if (!(loss < HUGE_VAL)) {
    if (graph_->features_are_mapped()) check_finite(*graph_->features(), graph_->path());
    fail(ExitStatus::bad_input, "the loss is not finite at step ", at_.step,
         "; lower --learning-rate");
  }
  model.backward(batch.model, pass, *room_, gradient_.view());
  model.step(static_cast<float>(schedule_.rate(at_.step)));
  at_.loss_sum += loss * batch.sample.num_seeds();
  at_.loss_nodes += batch.sample.num_seeds();
  result_.sampled_edges += batch.sample.num_edges();
  result_.sampled_nodes += batch.sample.num_nodes();
}

/// False: the run ends here, for want of patience.
bool TrainingRun::finish_epoch() {
  if (epoch_is_whole_) result_.epoch_seconds.push_back(epoch_seconds_);
  epoch_seconds_ = 0;
  epoch_is_whole_ = true;
  ++at_.epoch;
  at_.loss = mean_loss();
  at_.loss_sum = 0;
  at_.loss_nodes = 0;
  if (!has(Part::valid) || at_.epoch % options_.eval_every != 0) return true;
  validate();
  return options_.patience == 0 || at_.epoch - at_.best_epoch < options_.patience;
}

/// Wherever the run ends is validated: it is the model, or an epoch before it is.
void TrainingRun::finish_last_epoch() {
  if (at_.loss_nodes != 0) {
    epoch_is_whole_ = false;
    finish_epoch();
  }
  if (has(Part::valid) && at_.validated_epoch != at_.epoch) validate();
}

TaskMetrics TrainingRun::evaluate(Part part) {
  const double began = wall_seconds();
  TaskMetrics metrics = task_->evaluate(part, *stored_.model, *inference_);
  result_.eval_seconds += wall_seconds() - began;
  return metrics;
}

void TrainingRun::validate() {
  TaskMetrics metrics = evaluate(Part::valid);
  if (std::isnan(metrics.score)) {
    fail(ExitStatus::bad_input, graph_->path(), ": --select ", options_.select,
         " cannot be told of the validation part; choose another");
  }
  at_.validated_epoch = at_.epoch;
  if (observer_.log != nullptr) {
    StepValues values = {
        {"epoch", at_.epoch}, {"loss", at_.loss}, {"fit_seconds", result_.fit_seconds}};
    for (const auto& [name, value] : metrics.values) {
      values.emplace_back("validation_" + name, value);
    }
    observer_.log->step(static_cast<std::int64_t>(at_.step), values);
  }
  if (observer_.validated) observer_.validated(at_.epoch, at_.loss, metrics);
  const bool better = at_.best_epoch == 0 || metrics.score > at_.best_score ||
                      (metrics.score == at_.best_score && metrics.loss < at_.best_loss);
  if (!better) return;
  at_.best_score = metrics.score;
  at_.best_loss = metrics.loss;
  at_.best_epoch = at_.epoch;
  result_.validation = std::move(metrics);
  keep_best();
}

/// A copy of the model, where an epoch may follow that makes it worse.
void TrainingRun::keep_best() {
  at_.best.reset();
  if (at_.step >= total_steps()) return;
  Document model;
  stored_.model->save(model);
  at_.best = std::make_unique<Document>(model.clone());
}

void TrainingRun::take_best() {
  result_.best_epoch = !has(Part::valid) ? at_.epoch : at_.best_epoch;
  if (at_.best && at_.best_epoch != at_.epoch) {
    stored_.model->load(*at_.best, "the best epoch");
    log_info("the model of epoch ", at_.best_epoch, " of ", at_.epoch, " validates best");
  }
  // A resumed run knows only the score of an epoch before.
  if (has(Part::valid) && !result_.validation) result_.validation = evaluate(Part::valid);
}

void TrainingRun::see_to_requests() {
  const bool due = wall_seconds() - last_checkpoint_ >= options_.checkpoint_seconds;
  if (take_checkpoint_request() || stop_requested() || due) save_checkpoint();
  result_.stopped = stop_requested();
}

void TrainingRun::save_checkpoint() {
  last_checkpoint_ = wall_seconds();
  if (!checkpoint_) return;
  Document state;
  stored_.model->save(state);
  stored_.model->save_state(state);
  at_.save(state);
  checkpoint_->save(std::move(state));
  log_verbose("checkpoint written at step ", at_.step);
}

void TrainingRun::report_progress() {
  if (!observer_.progress || wall_seconds() - last_progress_ < kProgressSeconds) return;
  last_progress_ = wall_seconds();
  observer_.progress(static_cast<double>(at_.step) / static_cast<double>(per_epoch_),
                     "loss " + format_number(mean_loss(), 4));
}

void TrainingRun::write_model() {
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

double TrainResult::median_epoch_seconds() const {
  if (epoch_seconds.empty()) return of_an_epoch(fit_seconds);
  std::vector<double> sorted = epoch_seconds;
  std::sort(sorted.begin(), sorted.end());
  const std::size_t n = sorted.size();
  return n % 2 == 1 ? sorted[n / 2] : (sorted[n / 2 - 1] + sorted[n / 2]) / 2;
}

double TrainResult::of_an_epoch(double seconds) const {
  const std::uint64_t trained = steps - resumed_from;
  if (trained == 0) return 0;
  return seconds * static_cast<double>(facts.batches_per_epoch) / static_cast<double>(trained);
}

TrainResult train(const TrainOptions& options, const TrainObserver& observer) {
  return TrainingRun(options, observer).run();
}

}  // namespace frugal::gnn
