#include "tools/gnn-sample/run/typed_training.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <optional>

#include "libcore/base/error.h"
#include "libcore/base/log.h"
#include "libcore/base/text.h"
#include "libcore/nn/optimizer_rules.h"
#include "libcore/nn/schedule.h"
#include "libcore/parallel/communicator.h"
#include "libcore/system/clock.h"
#include "libcore/threading/parallel.h"
#include "libcore/threading/prepared_queue.h"
#include "libcore/train/accumulation.h"
#include "tools/gnn-sample/batches/typed_batch.h"
#include "tools/gnn-sample/data/graph_file.h"
#include "tools/gnn-sample/data/graph_fingerprint.h"
#include "tools/gnn-sample/model/typed_model_file.h"
#include "tools/gnn-sample/network/conv_kinds.h"
#include "tools/gnn-sample/run/graph_trainee.h"
#include "tools/gnn-sample/sampler/draw_shares.h"
#include "tools/gnn-sample/settings/train_fields.h"
#include "tools/gnn-sample/tasks/task_factory.h"
#include "tools/gnn-sample/tasks/typed_inference.h"

namespace frugal::gnn {
namespace {

/// The training of one model for a graph of several types.
class TypedTraining final : public GraphTrainee {
 public:
  TypedTraining(const TrainOptions& options, const TrainObserver& observer)
      : GraphTrainee(options, observer) {}
  TrainResult run();

  void begin_epoch(const RunPosition& at) override;
  TrainedPart advance(const RunPosition& at, std::uint64_t most,
                      const std::function<bool()>& interrupted) override;
  void save_model(Document& document) const override {
    save_tensors(stored_.model->tensors(), document);
    inputs_.save(document, false);
  }
  void load_model(Document& document, const std::string& place) override {
    load_tensors(stored_.model->tensors(), document, place);
    inputs_.load(document, place);
  }
  void save_state(Document& state) override {
    result_.has_checkpoint = true;
    save_states(stored_.model->weights(), state);
    inputs_.save_state(state);
  }
  void resume(Document& state, const std::string& path) override {
    result_.has_checkpoint = true;
    load_model(state, path);
    load_states(stored_.model->weights(), state, path);
    inputs_.load_state(state, path);
  }

 private:
  std::size_t num_seeds(Part part) const override { return task_->num_seeds(part); }
  std::uint64_t steps_per_epoch() const override { return task_->batches_per_epoch(); }
  TaskMetrics evaluate(Part part) override {
    return task_->evaluate(part, *stored_.model, *inference_);
  }
  void read_graph();
  void check_weights();
  void check_relations(const TypedSchema& schema);
  void make_model();
  void set_facts();
  SeedBatchOptions seed_options(std::uint64_t first_step) const;
  TypedTask::BatchLoss train_step(const TypedBatch& batch, std::uint64_t step);
  void write_model();

  std::unique_ptr<Communicator> alone_ = single_process();
  std::unique_ptr<TypedTask> task_;
  TypePlaces places_;
  StoredTypedModel stored_;
  TypedInputs inputs_;
  std::unique_ptr<TypedRoom> room_;
  std::unique_ptr<TypedBatchMaker> maker_;
  std::unique_ptr<TypedInference> inference_;
  Schedule schedule_;
  std::unique_ptr<PreparedQueue<TypedBatch>> queue_;
};

TrainResult TypedTraining::run() {
  check_outputs(options_, options_.model);
  read_graph();
  // The graph lacks the held-out edges.
  std::map<std::string, std::string> inputs = task_->identity();
  inputs["graph"] = graph_fingerprint(*graph_);
  const RunCheckpoint checkpoint(options_, "gnn-sample", {training_options(options_), inputs});
  std::optional<Document> state = checkpoint.load();
  make_model();
  if (observer_.begun) observer_.begun(result_.facts);
  train_and_test(checkpoint, *alone_, state ? &*state : nullptr);
  if (!result_.stopped && !options_.model.empty()) write_model();
  return std::move(result_);
}

void TypedTraining::read_graph() {
  const double began = wall_seconds();
  graph_ = std::make_unique<StoredGraph>(options_.graph, options_.residence);
  if (!graph_->heterogeneous()) {
    fail(ExitStatus::usage, "--architecture ", options_.network.kind,
         " is for graphs of several types of nodes; ", graph_->path(), " has one");
  }
  task_ = make_typed_task(*graph_, options_);
  const std::size_t seeds = task_->seed_type();
  const std::vector<std::size_t> relations =
      SamplerFactory(*graph_, options_.sampling, sampler_options(options_.sampling, 1, 0), seeds)
          .edge_types();
  TypedSchema schema = TypedSchema::of(*graph_, relations, seeds, task_->second_type());
  places_ = TypePlaces::find(schema, *graph_, "");
  check_weights();
  check_relations(schema);
  options_.network.num_layers = parse_fanouts(options_.sampling.fanouts, "--fanouts").size();
  stored_.embedding = options_.input_size;
  stored_.task = options_.task;
  stored_.relation = task_->relation();
  stored_.value_scale = task_->value_scale();
  const std::vector<std::size_t> columns = TypedInputs::columns(schema, options_.input_size);
  stored_.model = std::make_unique<TypedModel>(options_.network, std::move(schema), columns,
                                               task_->num_outputs());
  stored_.describe(*graph_);
  inputs_ = TypedInputs(*stored_.model, *graph_, places_, {options_.input_size, options_.seed});
  if (!inputs_.has_embedding() && !options_.open_input_size) {
    fail(ExitStatus::usage, "--input-size ", options_.input_size, ": all types of ", graph_->path(),
         " have features, so that no embedding is trained; leave it out");
  }
  result_.read_seconds = wall_seconds() - began;
}

/// A user whose graph has weights may think that they are used.
void TypedTraining::check_weights() {
  if (options_.network.edge_weights) return places_.require_weights(*graph_, "--edge-weights");
  const bool draws = options_.sampling.method == "weighted";
  if (!observer_.begun || draws || !places_.has_weights(*graph_)) return;
  log_warning(graph_->path(), ": the weights of the edges are not used; --method weighted draws ",
              "neighbours by them, and --edge-weights gives them to the layers of rgcn");
}

namespace {

/// Fanouts of the relations that are followed, in the order of the graph's.
std::vector<Fanouts> followed_fanouts(const StoredGraph& graph, const SamplingOptions& sampling) {
  std::vector<std::string> names;
  for (const EdgeSet& edges : graph.content().edges) names.push_back(edge_type_name(edges));
  auto followed = parse_type_fanouts(sampling.type_fanouts, sampling.fanouts, names);
  std::erase_if(followed, [](const Fanouts& fanouts) { return !is_followed(fanouts); });
  return followed;
}

}  // namespace

/// A model reads each relation in all layers or in none. Notes the fanouts.
void TypedTraining::check_relations(const TypedSchema& schema) {
  const SamplingOptions& sampling = options_.sampling;
  stored_.fanouts = sampling.fanouts;
  for (const std::string& item : sampling.type_fanouts) stored_.fanouts += " " + item;
  const std::vector<Fanouts> followed = followed_fanouts(*graph_, sampling);
  if (sampling.method == "weighted") {
    options_.network.weighted_fanouts = fanouts_of_relations_text(followed);
    options_.network.weighted_repeats = sampling.replace;
  }
  for (const Fanouts& fanouts : followed) {
    if (std::ranges::count(fanouts, 0U) == 0) continue;
    fail(ExitStatus::usage, "--fanouts ", fanouts_text(fanouts),
         ": a network that is trained reads ",
         "a relation in all layers, expected 0 alone, which leaves it out, or no 0");
  }
  if (!observer_.begun) return;  // trials, which nobody observes, say nothing
  for (std::size_t t = 0; t < schema.nodes.size(); ++t) {
    const auto leads_there = [&](const RelationType& r) { return r.target == t; };
    if (!schema.has_outputs(t) || std::ranges::any_of(schema.relations, leads_there)) continue;
    log_warning(graph_->path(), ": no relation leads to nodes of type ",
                printable(schema.nodes[t].name), ", so that each is told by its own row ",
                "alone; import --undirected adds reverse relations");
  }
}

void TypedTraining::make_model() {
  TypedModel& model = *stored_.model;
  model.randomize(options_.seed);
  OptimizerOptions optimizer;
  optimizer.kind = optimizer_from_name(options_.optimizer);
  model.prepare_training(optimizer);
  optimizer.weight_decay = options_.network.decay_first_only ? 0 : options_.network.weight_decay;
  inputs_.prepare_training(optimizer);
  room_ = model.make_room();
  TypedBatchMaker::Setup setup;
  setup.sampling = options_.sampling;
  setup.seed = options_.seed;
  setup.edge_weights = options_.network.edge_weights;
  task_->set_up(setup);
  maker_ = std::make_unique<TypedBatchMaker>(*graph_, model.schema(), places_, inputs_, setup);
  InferenceOptions inference;
  inference.fanouts = options_.eval_fanouts;
  inference.batch_size = options_.batch_size;
  inference.seed = options_.seed;
  inference.fanouts_option = "--eval-fanouts";
  inference.stops = [this] { return test_stops(); };
  if (observer_.begun) {
    warn_of_equal_neighbors(options_.network, inference.fanouts, inference.fanouts_option,
                            graph_->path());
  }
  inference_ = std::make_unique<TypedInference>(*graph_, places_, inputs_, inference);
  inference_->check_fits(model);
  task_->begin(seed_options(0));
  schedule_ = Schedule{schedule_from_name(options_.schedule), options_.learning_rate}.over(
      total_steps(), options_.warm_up);
  set_facts();
}

void TypedTraining::set_facts() {
  TypedModel& model = *stored_.model;
  const TypedSchema& schema = model.schema();
  TrainFacts& facts = result_.facts;
  facts.architecture = options_.network.kind;
  std::vector<std::string> types;
  for (std::size_t t = 0; t < schema.nodes.size(); ++t) {
    facts.nodes += graph_->content().nodes[places_.nodes[t]].size;
    if (!model.reads(t)) continue;
    const std::size_t columns = inputs_.rows(t).dim;
    const char* const what = schema.nodes[t].features == 0 ? "trained number" : "feature";
    types.push_back(schema.nodes[t].name + " (" + format_count(columns, what) + ")");
  }
  for (const std::size_t edges : places_.edges) {
    facts.edges += graph_->content().edges[edges].csr.num_edges();
  }
  facts.types = joined(types) + "; " + format_count(schema.relations.size(), "relation");
  facts.train_seeds = num_seeds(Part::train);
  facts.valid_seeds = num_seeds(Part::valid);
  facts.test_seeds = num_seeds(Part::test);
  facts.features = inputs_.rows(schema.seeds).dim;
  facts.features_per_node = inputs_.rows(schema.seeds).mean_row_size();
  facts.outputs = model.num_outputs();
  facts.parameters = model.num_parameters() + inputs_.num_parameters();
  facts.steps_per_epoch = steps_per_epoch();
}

SeedBatchOptions TypedTraining::seed_options(std::uint64_t first_step) const {
  SeedBatchOptions batches;
  batches.batch_size = options_.batch_size;
  batches.seed = options_.seed;
  batches.epochs = static_cast<std::uint64_t>(options_.epochs);
  batches.first = first_step;
  return batches;
}

/// Mini-batches are prepared across epochs.
void TypedTraining::begin_epoch(const RunPosition& at) {
  if (queue_) return;
  task_->begin(seed_options(at.step));
  queue_ = std::make_unique<PreparedQueue<TypedBatch>>(static_cast<std::size_t>(num_threads()) + 1);
  queue_->produce = [this](TypedBatch& batch) { return task_->next(batch); };
  queue_->prepare = [this](TypedBatch& batch) {
    task_->complete(batch);
    maker_->make(batch);
  };
}

TrainedPart TypedTraining::advance(const RunPosition& at, std::uint64_t,
                                   const std::function<bool()>&) {
  TrainedPart part;
  const TypedBatch* const batch = queue_->next();
  result_.waiting_seconds = queue_->waiting_seconds();
  if (batch == nullptr) {
    part.epoch_ended = true;
    return part;
  }
  const TypedTask::BatchLoss loss = train_step(*batch, at.step);
  part.loss_sum = loss.sum;
  part.samples = loss.samples;
  part.steps = 1;
  part.epoch_ended = (at.step + 1) % steps_per_epoch() == 0;
  result_.sampled_edges += batch->sample.num_edges();
  result_.sampled_nodes += batch->sample.total_nodes();
  return part;
}

TypedTask::BatchLoss TypedTraining::train_step(const TypedBatch& batch, std::uint64_t step) {
  TypedModel& model = *stored_.model;
  const GnnPass pass{true, options_.seed, step};
  model.forward(batch.input, pass, *room_);
  const TypedTask::BatchLoss loss = task_->loss(batch, model, *room_);
  if (loss.sum < HUGE_VAL) {
    const auto rate = static_cast<float>(schedule_.rate(step));
    model.backward(batch.input, pass, *room_);
    for (std::size_t t = 0; t < places_.nodes.size(); ++t) {
      if (TrainedRows* const rows = inputs_.trained(t)) {
        rows->step(batch.sample.nodes(places_.nodes[t]), model.input_gradient(*room_, t), rate);
      }
    }
    model.step(rate);
  }
  return loss;
}

void TypedTraining::write_model() {
  Document document;
  save_typed_model(stored_, inputs_, document);
  check_trained(document);
  write_trained_model(std::move(document), options_, options_.model);
}

/// Fails (usage) if an option was given that the architecture does not read.
void check_effects(TrainOptions options) {
  TrainOptions plain;
  plain = decided(plain);
  plain.network.kind = options.network.kind;
  const OptionFields fields, plain_fields;
  describe_train(fields, options);
  describe_train(plain_fields, plain);
  const OptionField* const field = given_without_effect(fields, plain_fields);
  if (field == nullptr) return;
  fail(ExitStatus::usage, "--", field->info().key, " goes with ", field->missing_condition(), "; ",
       options.graph, " has types of nodes and edges");
}

/// Settings of links if no option is given but that of the task and its length. Those for several
/// types were best in validation on three relations
/// (tests/bench/results/gnn-sample-typed-links.md), those for one type on three graphs
/// (gnn-sample-featureless.md).
TrainOptions link_settings(TrainOptions o, bool typed) {
  o.network.kind = typed ? "rgcn" : "gcn";
  o.network.hidden = 64;
  o.network.norm = typed ? NormKind::layer : NormKind::batch;
  if (!typed) o.network.dropout = 0;
  o.sampling.fanouts = "10,10";
  o.learning_rate = typed ? 0.001 : 0.003;
  return decided(o);
}

/// Fails (usage) if an option is for graphs of several types; the graph has one, or is a pipe.
void refuse_typed_options(const TrainOptions& o, bool is_file) {
  const bool has_relation = !o.links.relation.empty();
  if (!is_file && has_relation) {
    fail(ExitStatus::usage, "--relation: the types of ", o.graph,
         " are not known before it is read; give --architecture ", typed_kinds("or"), ", too");
  }
  if (!conv_kind(o.network.kind).typed && o.seed_type.empty() && !has_relation) return;
  fail(ExitStatus::usage,
       has_relation          ? "--relation"
       : o.seed_type.empty() ? "--architecture " + o.network.kind
                             : "--seed-type",
       " is for graphs of several types of nodes; ", o.graph, " has one");
}

}  // namespace

TrainOptions fitted_to_types(TrainOptions o) {
  const bool is_open = o.open_settings || o.open_kind;
  const bool asks_for_links = is_open && o.open_but_task && o.task == "links";
  // A pipe can be read only once.
  std::error_code none;
  const bool is_file = std::filesystem::is_regular_file(o.graph, none);
  const bool is_missing = o.graph != "-" && !std::filesystem::exists(o.graph, none);
  if ((!is_file && !is_open) || is_missing) return o;
  if (!is_file || !file_metadata(o.graph).contains(kNodeTypesKey)) {
    refuse_typed_options(o, is_file);
    return asks_for_links ? link_settings(o, false) : o;
  }
  if (asks_for_links) o = link_settings(o, true);
  if (is_open) {
    o.open_types = o.open_settings;
    o.network.kind = "rgcn";
    TrainOptions closed = o;
    closed.open_settings = false;
    closed = decided(closed);
    check_effects(closed);
    return o.open_types ? o : closed;
  }
  if (conv_kind(o.network.kind).typed) return o;
  fail(ExitStatus::usage, "--architecture ", o.network.kind,
       " is for graphs of one type of nodes; ", o.graph, " has types of nodes and edges, expected ",
       typed_kinds("or"));
}

TrainResult train_typed(const TrainOptions& options, const TrainObserver& observer) {
  const int ranks = options.ranks == nullptr ? 1 : options.ranks->size();
  if (ranks > 1 || names_device(options.device)) {
    fail(ExitStatus::unavailable, "--architecture ", options.network.kind,
         " is trained by one process on the CPU; leave out ",
         ranks > 1 ? "mpirun" : "--device " + options.device);
  }
  return TypedTraining(options, observer).run();
}

}  // namespace frugal::gnn
