#include "tools/gnn-sample/run/train.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <optional>

#include "libcore/base/error.h"
#include "libcore/base/log.h"
#include "libcore/base/text.h"
#include "libcore/nn/optimizer_rules.h"
#include "libcore/nn/schedule.h"
#include "libcore/parallel/communicator.h"
#include "libcore/system/clock.h"
#include "libcore/system/output_file.h"
#include "libcore/train/accumulation.h"
#include "libcore/train/training_run.h"
#include "tools/gnn-sample/batches/batch_rounds.h"
#include "tools/gnn-sample/batches/packed_batches.h"
#include "tools/gnn-sample/batches/train_batch.h"
#include "tools/gnn-sample/data/feature_view.h"
#include "tools/gnn-sample/data/graph_fingerprint.h"
#include "tools/gnn-sample/model/model_file.h"
#include "tools/gnn-sample/parts/inclusion.h"
#include "tools/gnn-sample/run/graph_inputs.h"
#include "tools/gnn-sample/run/graph_trainee.h"
#include "tools/gnn-sample/run/step_deal.h"
#include "tools/gnn-sample/run/trainer_choice.h"
#include "tools/gnn-sample/run/typed_training.h"
#include "tools/gnn-sample/settings/train_fields.h"
#include "tools/gnn-sample/steps/joint_step.h"
#include "tools/gnn-sample/tasks/inference.h"
#include "tools/gnn-sample/tasks/task_factory.h"

namespace frugal::gnn {
namespace {

/// The training of one model: graph, task, network, and how they step, score and are kept.
class GnnTraining final : public GraphTrainee {
 public:
  GnnTraining(const TrainOptions& options, const TrainObserver& observer)
      : GraphTrainee(options, observer),
        ranks_(options.ranks == nullptr ? *alone_ : *options.ranks) {}
  TrainResult run();

  void begin_epoch(const RunPosition& at) override;
  TrainedPart advance(const RunPosition& at, std::uint64_t most,
                      const std::function<bool()>& interrupted) override;
  void save_model(Document& document) const override {
    trainer_->bring_back();
    stored_.save_parameters(document);
  }
  void load_model(Document& document, const std::string& place) override {
    stored_.load_parameters(document, place);
    trainer_->take_anew();
  }
  void save_state(Document& state) override {
    result_.has_checkpoint = true;
    trainer_->bring_back();
    stored_.save_state(state);
    save_batches(batches_, state);
  }
  void resume(Document& state, const std::string& path) override;

 private:
  std::size_t num_seeds(Part part) const override { return task_->num_seeds(part); }
  std::uint64_t steps_per_epoch() const override { return deal_.steps_per_epoch(); }
  TaskMetrics evaluate(Part part) override;
  bool complete_model() override;
  void read_graph();
  std::map<std::string, std::string> run_inputs(const std::string& graph) const;
  void make_model();
  void make_inference(std::uint32_t batch_size);
  BatchMaker::Setup batch_setup() const;
  SeedBatchOptions seed_options(std::uint64_t first_step) const;
  void part_features();
  void pack(std::uint64_t first_step, BatchRounds::Source& source);
  void take_steps(const RunPosition& at, std::uint64_t most,
                  const std::function<bool()>& interrupted, TrainedPart& part);
  bool train_step(std::uint64_t step, TrainedPart& part);
  void joint_step(std::uint64_t step, TrainedPart& part);
  void make_trainer(const OptimizerOptions& optimizer);
  void write_model();

  std::unique_ptr<Communicator> alone_ = single_process();
  Communicator& ranks_;
  GraphInputs inputs_;
  std::optional<FeatureParts> parts_;
  std::optional<KeptRows> kept_;  ///< where each rank has a part of the features
  std::unique_ptr<TrainTask> task_;
  std::unique_ptr<BatchMaker> maker_;
  std::unique_ptr<Inference> inference_;
  StoredModel stored_;
  std::unique_ptr<BatchTrainer> trainer_;
  std::optional<JointStep> joint_;  ///< where a step has several mini-batches
  Schedule schedule_;
  // With Residence::packed:
  FrequentRows frequent_;
  std::unique_ptr<PackedBatches> packed_;
  std::unique_ptr<BatchRounds> rounds_;
  JointBatches batches_;
  StepDeal deal_;
};

TrainResult GnnTraining::run() {
  if (ranks_.rank() == 0) {
    check_outputs(options_, options_.model);
    if (!options_.links.write_held_out.empty()) check_output(options_.links.write_held_out);
  }
  read_graph();
  const std::string fingerprint = graph_fingerprint(*graph_);
  expect_agreement(ranks_, "held-out edges of hash " + task_->fingerprint() + "\na graph of hash " +
                               fingerprint +
                               (parts_ ? "\nfeature parts of hash " + parts_->fingerprint() : ""));
  inputs_.make(*graph_, options_, stored_.inputs);
  result_.read_seconds += inputs_.seconds();
  const RunCheckpoint checkpoint(options_, "gnn-sample",
                                 {training_options(options_), run_inputs(fingerprint)});
  std::optional<Document> state = checkpoint.load();
  const std::uint32_t whole_batch = options_.batch_size;
  batches_ = batches_of_step(options_.accumulate, whole_batch, ranks_.size(),
                             state ? &*state : nullptr, options_.checkpoint);
  options_.batch_size = static_cast<std::uint32_t>(batches_.size);
  maker_ = std::make_unique<BatchMaker>(*graph_, batch_setup());
  options_.network.num_layers = maker_->num_hops();
  make_model();
  part_features();
  make_inference(whole_batch);
  if (observer_.begun) observer_.begun(result_.facts);
  train_and_test(checkpoint, ranks_, state ? &*state : nullptr);
  if (!result_.stopped && !options_.model.empty()) write_model();
  return std::move(result_);
}

void GnnTraining::read_graph() {
  const double began = wall_seconds();
  const bool parted = FeatureParts::are_wanted(options_.features, ranks_);
  graph_ =
      std::make_unique<StoredGraph>(options_.graph, options_.residence,
                                    parted ? FeaturePlace::in_file : FeaturePlace::as_residence);
  graph_->require_homogeneous();
  if (options_.residence == Residence::packed) {
    require_packable(*graph_);
    frequent_.limits = options_.packs;
    options_.device = "cpu";
  }
  if (!options_.features.parts.empty()) parts_.emplace(options_.features, *graph_, ranks_);
  task_ = make_task(*graph_, options_);
  result_.read_seconds = wall_seconds() - began;
}

/// Fingerprints, compared in the order of names. The graph is last: it lacks the held-out edges.
std::map<std::string, std::string> GnnTraining::run_inputs(const std::string& graph) const {
  std::map<std::string, std::string> inputs = {{"graph", graph}};
  if (options_.task == "links") inputs["file of held-out edges"] = task_->fingerprint();
  return inputs;
}

BatchMaker::Setup GnnTraining::batch_setup() const {
  BatchMaker::Setup setup = task_->batch_setup();
  setup.serve(options_.network);
  return setup;
}

SeedBatchOptions GnnTraining::seed_options(std::uint64_t first_step) const {
  SeedBatchOptions batches;
  batches.batch_size = options_.batch_size;
  batches.seed = options_.seed;
  batches.epochs = static_cast<std::uint64_t>(options_.epochs);
  batches.first = deal_.first_batch(first_step);
  batches.shuffle_block = inputs_.shuffle_block(*graph_);
  return batches;
}

void GnnTraining::part_features() {
  if (!FeatureParts::are_wanted(options_.features, ranks_)) return;
  const double began = wall_seconds();
  kept_.emplace(
      parts_->load(*graph_, inclusion_probabilities(graph_->csr(), task_->seed_probabilities(),
                                                    maker_->fanouts(), maker_->semantics())));
  maker_->gather_from(*kept_, ranks_.size());
  result_.facts.parts = {kept_->num_own(), kept_->num_cached(), parts_->expected()};
  result_.row_bytes = kept_->row_bytes();
  parts_.reset();
  result_.read_seconds += wall_seconds() - began;
}

void GnnTraining::make_model() {
  stored_.fanouts = options_.sampling.fanouts;
  stored_.describe(*graph_, options_.task);
  stored_.value_scale = task_->value_scale();
  const std::size_t features = inputs_.num_features(), outputs = task_->num_outputs();
  check_network_memory(graph_->path(), features, outputs, options_.network.hidden);
  stored_.model = std::make_unique<GnnModel>(options_.network, features, outputs);
  stored_.model->randomize(options_.seed);
  inputs_.set_scaling(*stored_.model);
  OptimizerOptions optimizer;
  optimizer.kind = optimizer_from_name(options_.optimizer);
  stored_.prepare_training(optimizer);
  make_trainer(optimizer);
  task_->begin(seed_options(0));
  deal_ = StepDeal(ranks_, task_->batches_per_epoch(), batches_.count);
  schedule_ = Schedule{schedule_from_name(options_.schedule), options_.learning_rate}.over(
      total_steps(), options_.warm_up);
  result_.facts = {options_.network.kind,
                   graph_->num_nodes(),
                   inputs_.num_edges(),
                   task_->num_seeds(Part::train),
                   task_->num_seeds(Part::valid),
                   task_->num_seeds(Part::test),
                   features,
                   outputs,
                   stored_.num_parameters(),
                   deal_.steps_per_epoch(),
                   batches_,
                   {},
                   graph_->features()->mean_row_size(),
                   "",
                   stored_.inputs.settings().note()};
}

void GnnTraining::make_trainer(const OptimizerOptions& optimizer) {
  const bool joint = ranks_.size() > 1 || batches_.count > 1;
  trainer_ =
      choose_trainer(stored_, *graph_, options_,
                     {optimizer, batch_setup().max_seeds, maker_->fanouts(), joint, ranks_.size()});
  if (joint) joint_.emplace(*stored_.model, ranks_);
  if (!trainer_->wants_rows()) maker_->leave_rows_out();
}

void GnnTraining::make_inference(std::uint32_t batch_size) {
  InferenceOptions inference;
  inference.fanouts = options_.eval_fanouts;
  inference.batch_size = batch_size;
  inference.seed = options_.seed;
  inference.fanouts_option = "--eval-fanouts";
  inference.ranks = &ranks_;
  // Several ranks evaluate together.
  if (ranks_.size() == 1) inference.stops = [this] { return test_stops(); };
  inference.kept = kept_ ? &*kept_ : nullptr;
  if (options_.residence == Residence::packed) inference.frequent = &frequent_;
  if (observer_.begun) {
    warn_of_equal_neighbors(options_.network, inference.fanouts, inference.fanouts_option,
                            graph_->path());
  }
  inference_ = std::make_unique<Inference>(*graph_, inference);
  inference_->check_fits(*stored_.model);
}

void GnnTraining::resume(Document& state, const std::string& path) {
  result_.has_checkpoint = true;
  stored_.load_parameters(state, path);
  stored_.load_state(state, path);
  trainer_->take_anew();
}

/// Mini-batches are prepared across epochs.
void GnnTraining::begin_epoch(const RunPosition& at) {
  if (rounds_) return;
  task_->begin(seed_options(at.step));
  BatchRounds::Source source;
  source.produce = [this](TrainBatch& batch) {
    do {
      if (!task_->next(batch)) return false;
    } while (!deal_.is_mine(batch.links.seeds.number));
    return true;
  };
  source.prepare = [this](TrainBatch& batch) {
    task_->complete(batch);
    maker_->make(batch);
  };
  source.has = [this](std::uint64_t round) { return deal_.has(round); };
  source.first = at.step * deal_.rounds_per_step();
  source.end = total_steps() * deal_.rounds_per_step();
  if (options_.residence == Residence::packed) pack(at.step, source);
  rounds_ = std::make_unique<BatchRounds>(std::move(source), ranks_, kept_ ? &*kept_ : nullptr);
}

/// Makes the mini-batches of the source, from that step on, read packs.
void GnnTraining::pack(std::uint64_t first_step, BatchRounds::Source& source) {
  PackedBatches::Source from;
  from.produce = source.produce;
  from.complete = [this](TrainBatch& batch) { task_->complete(batch); };
  from.batches = deal_.first_batch(total_steps()) - deal_.first_batch(first_step);
  from.per_epoch = task_->batches_per_epoch();
  from.stops = [this] { return clock_.is_stopped() || clock_.out_of_time(); };
  frequent_.reserved = inference_->exact_bytes(
      *stored_.model, std::max(num_seeds(Part::valid), num_seeds(Part::test)));
  if (options_.task == "links") {
    frequent_.reserved += graph_->num_nodes() * (task_->num_outputs() + 1) * sizeof(float);
  }
  // A layer keeps its input, its output and what is between them, and the gradients of all.
  frequent_.layer_bytes = 8 * options_.network.hidden * sizeof(float);
  frequent_.inference_samples = !options_.eval_fanouts.empty();
  packed_ = std::make_unique<PackedBatches>(*graph_, *maker_, std::move(from), frequent_);
  source.produce = [this](TrainBatch& batch) { return packed_->next(batch); };
  source.prepare = [this](TrainBatch& batch) { packed_->make(batch); };
}

/// One step, or as many as a device can be given without being waited for.
void GnnTraining::take_steps(const RunPosition& at, std::uint64_t most,
                             const std::function<bool()>& interrupted, TrainedPart& part) {
  const double busy = trainer_->busy_seconds();
  if (joint_) {
    joint_step(at.step, part);
    part.epoch_ended = (at.step + 1) % deal_.steps_per_epoch() == 0;
  } else {
    do {
      part.epoch_ended = !train_step(at.step + part.steps, part) ||
                         (at.step + part.steps) % deal_.steps_per_epoch() == 0;
    } while (trainer_->is_on_device() && !part.epoch_ended && part.steps < most && !interrupted());
    part.loss_sum += trainer_->collect();
    part.device_busy_seconds = trainer_->busy_seconds() - busy;
  }
}

/// No step if a signal or the time budget ended the packing of mini-batches: the run ends then.
TrainedPart GnnTraining::advance(const RunPosition& at, std::uint64_t most,
                                 const std::function<bool()>& interrupted) {
  TrainedPart part;
  try {
    take_steps(at, most, interrupted, part);
  } catch (const PackingStopped&) {
    part = {};
  }
  result_.rows = rounds_->row_counts();
  result_.waiting_seconds = rounds_->waiting_seconds();
  if (packed_) {
    result_.packs = packed_->figures();
    result_.waiting_seconds += result_.packs->seconds;
    result_.rows_in_memory = frequent_.rows ? frequent_.rows->num_cached() : 0;
  }
  if (!(part.loss_sum < HUGE_VAL) && graph_->features_are_mapped()) {
    check_finite(*graph_->features(), graph_->path());
  }
  return part;
}

/// Adds the loss of a step, or of some before on a device; false: there is no mini-batch.
bool GnnTraining::train_step(std::uint64_t step, TrainedPart& part) {
  const TrainBatch* batch = rounds_->next();
  if (batch == nullptr) return false;
  const GnnPass pass{true, options_.seed, step};
  part.loss_sum += trainer_->train(batch->model, task_->targets(*batch), pass,
                                   static_cast<float>(schedule_.rate(step)));
  part.samples += batch->sample.num_seeds();
  ++part.steps;
  result_.sampled_edges += batch->sample.num_edges();
  result_.sampled_nodes += batch->sample.num_nodes();
  return true;
}

/// A step of all ranks, whose figures are those of all.
void GnnTraining::joint_step(std::uint64_t step, TrainedPart& part) {
  for (std::uint64_t round = 0; round < deal_.rounds_per_step(); ++round) {
    const TrainBatch* batch = rounds_->next();
    if (batch == nullptr) continue;
    joint_->add(batch->model, task_->targets(*batch),
                {true, options_.seed, batch->links.seeds.number},
                {0, static_cast<double>(batch->sample.num_seeds()),
                 static_cast<double>(batch->sample.num_edges()),
                 static_cast<double>(batch->sample.num_nodes())});
  }
  const JointStep::Figures figures =
      joint_->take(deal_.num_batches(step), static_cast<float>(schedule_.rate(step)));
  part.loss_sum = figures.loss_sum;
  part.samples = static_cast<std::uint64_t>(figures.seeds);
  part.steps = 1;
  result_.sampled_edges += static_cast<std::uint64_t>(figures.edges);
  result_.sampled_nodes += static_cast<std::uint64_t>(figures.nodes);
}

TaskMetrics GnnTraining::evaluate(Part part) {
  trainer_->bring_back();
  return task_->evaluate(part, *stored_.model, *inference_);
}

bool GnnTraining::complete_model() {
  trainer_->bring_back();
  result_.link_score = stored_.link_score = task_->choose_link_score(*stored_.model, *inference_);
  return stored_.link_score.common_neighbors != 0;
}

void GnnTraining::write_model() {
  trainer_->bring_back();
  Document document;
  gnn::save_model(stored_, document);
  check_trained(document);
  write_trained_model(std::move(document), options_, options_.model);
}

}  // namespace

TrainResult train(const TrainOptions& options, const TrainObserver& observer) {
  if (conv_kind(options.network.kind).typed) return train_typed(options, observer);
  return GnnTraining(options, observer).run();
}

}  // namespace frugal::gnn
