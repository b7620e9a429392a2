#include "tools/tgn-train/train.h"

#include <algorithm>
#include <cmath>
#include <memory>

#include "libcore/base/error.h"
#include "libcore/base/log.h"
#include "libcore/base/text.h"
#include "libcore/metrics/run_log.h"
#include "libcore/nn/checkpoint.h"
#include "libcore/system/clock.h"
#include "libcore/system/output_file.h"
#include "libcore/system/signals.h"
#include "tools/tgn-train/link_evaluation.h"

namespace frugal {
namespace {

constexpr double kProgressSeconds = 0.2;
/// Streams of random numbers: negatives of training, one an epoch.
constexpr std::uint64_t kNegatives = 0x54524e00;

/// The run of one training: stream, model, and the loop over steps and validations.
class TrainingRun {
 public:
  TrainingRun(const TrainOptions& options, const TrainObserver& observer)
      : options_(options), observer_(observer), began_(wall_seconds()) {}
  TrainResult run();

 private:
  void read_events();
  void make_model();
  void train_epoch();
  void train_on(const std::vector<EventId>& events);
  bool finish_epoch();
  void restart_memory();
  LinkMetrics evaluate(EventPart part, bool inductive);
  void validate();
  void test();
  void report_progress(EventId at);
  void write_model();
  bool out_of_time() const {
    return options_.time_budget > 0 && wall_seconds() - began_ >= options_.time_budget;
  }
  bool ends() const {
    return result_.stopped || out_of_time() ||
           (options_.steps != 0 && result_.steps >= options_.steps);
  }

  TrainOptions options_;
  const TrainObserver& observer_;
  double began_;
  std::unique_ptr<LinkData> data_;
  std::unique_ptr<UniformNegative> negatives_;
  std::unique_ptr<EvaluationNegatives> evaluation_negatives_;
  std::unique_ptr<TgnModel> model_;
  std::unique_ptr<NodeMemory> memory_;
  std::unique_ptr<StepRunner> runner_;
  std::unique_ptr<StepPlanner> planner_;
  StepPlan plan_;
  std::vector<NodeId> drawn_;
  double loss_sum_ = 0;
  std::uint64_t loss_events_ = 0;
  double best_score_ = 0;
  std::unique_ptr<Document> best_;
  double last_progress_ = 0;
  TrainResult result_;
};

TrainResult TrainingRun::run() {
  if (!options_.model.empty()) check_output(options_.model);
  read_events();
  make_model();
  if (observer_.begun) observer_.begun(result_.facts);
  while (result_.epochs < options_.epochs && !ends()) {
    train_epoch();
    if (!finish_epoch()) break;
  }
  if (result_.stopped) return std::move(result_);
  test();
  if (!options_.model.empty()) write_model();
  return std::move(result_);
}

void TrainingRun::read_events() {
  const double began = wall_seconds();
  data_ = std::make_unique<LinkData>(options_.events, options_.split);
  const EventView events = data_->events();
  const EventSplit& split = data_->split();
  const EventId end = split.end(EventPart::train);
  negatives_ = std::make_unique<UniformNegative>(
      distinct_destinations(events,
                            [&](EventId e) {
                              return e < end &&
                                     split.trains(events.sources[e], events.destinations[e]);
                            }),
      options_.seed);
  evaluation_negatives_ =
      std::make_unique<EvaluationNegatives>(events, data_->parts(), options_.split.seed);
  TrainFacts& f = result_.facts;
  f.nodes = events.num_nodes;
  f.events = events.size();
  f.edge_features = data_->stream().edge_features().dim;
  f.train_events = split.num_events(EventPart::train);
  f.valid_events = split.num_events(EventPart::valid);
  f.test_events = split.num_events(EventPart::test);
  f.new_valid_events = split.num_new_node_events(EventPart::valid);
  f.new_test_events = split.num_new_node_events(EventPart::test);
  result_.read_seconds = wall_seconds() - began;
}

void TrainingRun::make_model() {
  TgnInputs inputs;
  inputs.edge_features = data_->stream().edge_features().dim;
  inputs.node_features = !data_->stream().node_features().empty();
  model_ = std::make_unique<TgnModel>(options_.network, inputs);
  model_->randomize(options_.seed);
  OptimizerOptions optimizer;
  optimizer.kind = OptimizerKind::adam;
  model_->prepare_training(optimizer);
  result_.facts.parameters = model_->num_parameters();
  const bool keeps = options_.mode != MemoryMode::window || options_.refresh != RefreshKind::none;
  if (options_.network.has_memory()) {
    memory_ = std::make_unique<NodeMemory>(
        NodeMemoryShape{data_->stream().num_nodes(), options_.network.memory_dim,
                        keeps ? kept_message_dim(*model_, options_.mode == MemoryMode::exact) : 0,
                        options_.memory_dtype});
  }
  runner_ = std::make_unique<StepRunner>(*model_, memory_.get(), data_->features());
  PlannerOptions planner;
  planner.mode = options_.mode;
  planner.refresh = options_.refresh;
  planner.has_memory = options_.network.has_memory();
  planner.has_neighbors = options_.network.has_neighbors();
  planner.layers = options_.network.layers;
  planner.neighbors = options_.network.neighbors;
  planner.mean_messages = options_.network.aggregator == AggregatorKind::mean;
  planner_ = std::make_unique<StepPlanner>(data_->events(), data_->training_neighbors(), planner);
}

void TrainingRun::restart_memory() {
  if (memory_) memory_->reset();
  planner_->reset();
  planner_->use(data_->training_neighbors());
}

void TrainingRun::train_epoch() {
  restart_memory();
  loss_sum_ = 0;
  loss_events_ = 0;
  EventId at = 0;
  std::vector<EventId> events;
  const double began = wall_seconds(), cpu = cpu_seconds();
  for (data_->next(EventPart::train, false, options_.batch, at, events); !events.empty() && !ends();
       data_->next(EventPart::train, false, options_.batch, at, events)) {
    train_on(events);
    report_progress(at);
    result_.stopped = stop_requested();
  }
  const double seconds = wall_seconds() - began;
  result_.fit_seconds += seconds;
  result_.fit_cpu_seconds += cpu_seconds() - cpu;
  if (events.empty()) result_.epoch_seconds.push_back(seconds);
}

void TrainingRun::train_on(const std::vector<EventId>& events) {
  const double began = wall_seconds();
  drawn_.clear();
  for (const EventId event : events) {
    drawn_.push_back(
        negatives_->draw(event, kNegatives + static_cast<std::uint64_t>(result_.epochs)));
  }
  planner_->plan(events, drawn_, StepKind::queries_and_updates, plan_);
  result_.plan_seconds += wall_seconds() - began;
  runner_->embed(plan_, {true, options_.seed, result_.steps});
  const double loss =
      model_->train_links(plan_, data_->features(), static_cast<float>(options_.learning_rate));
  if (!(loss < HUGE_VAL)) {
    fail(ExitStatus::bad_input, "the loss is not finite at step ", result_.steps,
         "; lower --learning-rate");
  }
  runner_->store(plan_);
  loss_sum_ += loss * static_cast<double>(events.size());
  loss_events_ += events.size();
  result_.trained_events += events.size();
  ++result_.steps;
}

/// False: the run ends here, for want of patience.
bool TrainingRun::finish_epoch() {
  if (result_.stopped) return false;
  ++result_.epochs;
  result_.loss = loss_sum_ / static_cast<double>(std::max<std::uint64_t>(1, loss_events_));
  validate();
  return options_.patience == 0 || result_.epochs - result_.best_epoch < options_.patience;
}

LinkMetrics TrainingRun::evaluate(EventPart part, bool inductive) {
  const double began = wall_seconds();
  LinkEvaluation evaluation(*data_, *evaluation_negatives_, *runner_, *planner_,
                            {options_.mode, options_.eval_batch});
  LinkMetrics metrics = evaluation.run(part, inductive, nullptr);
  result_.eval_seconds += wall_seconds() - began;
  return metrics;
}

void TrainingRun::validate() {
  const LinkMetrics metrics = evaluate(EventPart::valid, false);
  const MetricValues values = metrics.values();
  if (observer_.log != nullptr) {
    StepValues logged = {
        {"epoch", result_.epochs}, {"loss", result_.loss}, {"fit_seconds", result_.fit_seconds}};
    for (const auto& [name, value] : values) logged.emplace_back("validation_" + name, value);
    observer_.log->step(static_cast<std::int64_t>(result_.steps), logged);
  }
  if (observer_.validated) observer_.validated(result_.epochs, result_.loss, values);
  const double score = metrics.ap_batch();
  if (result_.best_epoch != 0 && !(score > best_score_)) return;
  best_score_ = score;
  result_.best_epoch = result_.epochs;
  Document model;
  model_->save(model);
  best_ = std::make_unique<Document>(model.clone());
}

/// With the model of the best epoch, whose memory is made anew from the events that train.
void TrainingRun::test() {
  if (result_.best_epoch != result_.epochs) model_->load(*best_, "the best epoch");
  restart_memory();
  LinkEvaluation(*data_, *evaluation_negatives_, *runner_, *planner_,
                 {options_.mode, options_.batch})
      .replay_training();
  result_.valid = evaluate(EventPart::valid, false).values();
  result_.test = evaluate(EventPart::test, false).values();
}

void TrainingRun::report_progress(EventId at) {
  if (!observer_.progress || wall_seconds() - last_progress_ < kProgressSeconds) return;
  last_progress_ = wall_seconds();
  const double share =
      static_cast<double>(at) / static_cast<double>(data_->split().end(EventPart::train));
  observer_.progress(result_.epochs + share,
                     "loss " + format_number(loss_sum_ / static_cast<double>(loss_events_), 4));
}

void TrainingRun::write_model() {
  Document document;
  model_->save(document);
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

}  // namespace frugal
