#include "tools/robe-compress/run/training.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <utility>

#include "libcore/base/error.h"
#include "libcore/base/text.h"
#include "libcore/embedding/array_embedding.h"
#include "libcore/embedding/embedding_methods.h"
#include "libcore/nn/optimizer_rules.h"
#include "libcore/system/clock.h"
#include "libcore/system/limits.h"
#include "libcore/tensors/metadata_reader.h"
#include "libcore/train/accumulation.h"
#include "tools/robe-compress/data/click_data.h"
#include "tools/robe-compress/data/column_warnings.h"
#include "tools/robe-compress/settings/train_fields.h"
#include "tools/robe-compress/steps/grown_tables.h"
#include "tools/robe-compress/steps/train_rates.h"
#include "tools/robe-compress/steps/trainer.h"

namespace frugal::robe {
namespace {

/// A model that is trained further stays what it is: fails (usage) where an option that is not the
/// usual one wants something else.
template <class Value>
void check_kept(const std::string& model, const char* option, const Value& wanted,
                const Value& usual, const Value& found) {
  if (wanted == usual || wanted == found) return;
  fail(ExitStatus::usage, model, ": a model with ", option, " ", found,
       ", which training does not change; leave out ", option, " ", wanted);
}

TrialModel copy_of(const Embedding& embedding, const Network& network,
                   const TrainOptions& options) {
  Document document;
  embedding.save(document);
  network.save(document);
  Document copy = document.clone();
  return {load_embedding(copy, "the model"),
          load_network(copy, "the model", options.network.precision)};
}

}  // namespace

void check_columns(const TrainOptions& options, const ClickEncoder& encoder) {
  const auto expect = [&options](std::size_t columns, const std::vector<std::string>& given,
                                 const char* wanted, const char* found) {
    if (columns != 0 || given.empty()) return;
    fail(ExitStatus::usage, options.data, ": ", given.front(), " goes with columns of ", wanted,
         ", found ", found, " alone");
  };
  expect(encoder.num_fields(), options.for_categories, "categories", "numbers");
  expect(encoder.num_numbers(), options.for_numbers, "numbers", "categories");
}

TrainResult ClickTraining::run() {
  if (!options_.init.empty()) {
    return run(robe::load_model(options_.init, options_.network.precision));
  }
  check_embedding_options(options_.embedding, options_.dim);
  check_network_options(options_.network, options_.dim);
  if (options_.stream && options_.epochs > 1) {
    fail(ExitStatus::usage, "--stream is one pass over the samples: leave out --epochs ",
         options_.epochs);
  }
  check_outputs(options_, options_.model);
  const double began = wall_seconds();
  samples_ = std::make_unique<TrainingSamples>(options_.data, options_.input, options_.stream);
  result_.read_seconds = wall_seconds() - began;
  warn_of_columns(samples_->encoder());
  result_.unknown = rare_values(samples_->encoder());
  return run_on_samples();
}

TrainResult ClickTraining::run(ClickModel start) {
  check_outputs(options_, options_.model);
  if (options_.stream) {
    fail(ExitStatus::usage, "a model cannot be trained further while reading: leave out --stream");
  }
  const TrainOptions usual;
  const std::string place = options_.init;
  check_kept(place, "--method", options_.embedding.method, usual.embedding.method,
             std::string(start.embedding->method()));
  check_kept(place, "--dim", options_.dim, usual.dim, start.embedding->tables().dim());
  check_kept(place, "--architecture", options_.network.architecture, usual.network.architecture,
             start.network->architecture());
  const double began = wall_seconds();
  embedding_ = std::move(start.embedding);
  network_ = std::move(start.network);
  history_ = std::move(start.history);
  options_.dim = embedding_->tables().dim();
  options_.embedding.method = embedding_->method();
  options_.network.architecture = network_->architecture();
  if (const auto* numbers = dynamic_cast<ArrayEmbedding*>(embedding_.get())) {
    options_.embedding.storage = numbers->array().final_storage();
  }
  ClickOptions input = options_.input;
  input.grows = can_grow(*embedding_) && input.unknown != "error";
  samples_ = std::make_unique<TrainingSamples>(options_.data, input, std::move(start.encoder));
  const TableSet tables = tables_of(samples_->encoder(), options_.dim);
  if (!same_tables(tables, embedding_->tables())) {
    embedding_ = grow_tables(std::move(embedding_), tables);
  }
  result_.unknown = samples_->data()->unknown_values();
  say_unknown(result_.unknown, options_.data);
  result_.read_seconds = wall_seconds() - began;
  return run_on_samples();
}

TrainResult ClickTraining::run(ClickData& data) {
  samples_ = std::make_unique<TrainingSamples>(data);
  return run_on_samples();
}

TrainResult ClickTraining::run_on_samples() {
  check_other_samples();
  starts_from_model_ = embedding_ != nullptr;
  if (is_linear()) options_ = for_linear(std::move(options_), samples_->size());
  choose_size();
  const std::uint32_t given_accumulate = options_.joint.accumulate;
  options_ = resolve_rates(std::move(options_), samples_->size());
  if (samples_->encoder().num_fields() == 0) options_.embedding.method = "full";
  check_columns(options_, samples_->encoder());
  check_classes();
  check_ranks();
  ends_by_validation_ = ends_by_validation(options_) && can_validate();
  choose_storage();
  const RunCheckpoint checkpoint = open_checkpoint();
  std::optional<Document> state = checkpoint.load();
  batches_ = batches_of_step(given_accumulate, options_.batch_size, ranks_.size(),
                             state ? &*state : nullptr, options_.checkpoint);
  options_.joint.accumulate = batches_.count;
  options_.batch_size = batches_.size;
  patience_ = patience_of(options_, samples_->size());
  if (state) {
    take_model(*state);
  } else if (!starts_from_model_) {
    make_model();
  } else if (needs_epochs()) {
    find_epochs(copy_of(*embedding_, *network_, options_));
  } else if (is_linear() && options_.find_l2) {
    find_l2(copy_of(*embedding_, *network_, options_));
  }
  if (!state && result_.search_seconds > 0 && is_stopped()) {
    result_.stopped = true;  // a trial that a signal cut short says little: nothing goes on from it
    return std::move(result_);
  }
  if (found_epochs_ > 0) options_.epochs = found_epochs_;
  result_.hot_share = found_share_;
  find_facts();
  if (observer_.begun) observer_.begun(result_.facts);
  trainer_ = make_trainer(*embedding_, *network_, trainer_setup());
  if (kept_) continue_trial();
  const RunObserver observer = run_observer();
  RunFigures& figures = result_;
  figures = run_training(*this, run_settings(), {clock_, checkpoint, ranks_, observer},
                         state ? &*state : nullptr)
                .figures;
  rest_.reset();
  if (kept_steps_ > 0) count_trial();
  if (result_.stopped) return std::move(result_);
  expect_steps(result_, clock_);
  finish_model();
  return std::move(result_);
}

/// For new tables of which nobody says how they are to be kept.
void ClickTraining::choose_size() {
  if (!options_.find_size || !options_.for_tables.empty() || starts_from_model_) return;
  const TableSet tables = tables_of(samples_->encoder(), options_.dim);
  if (tables.size() == 0) return;
  const Storage storage = options_.find_storage ? Storage::int8 : options_.embedding.storage;
  if (stored_bytes(storage, tables.num_values()) <= kSmallTables) {
    options_ = for_small_tables(std::move(options_));
    chooses_ = options_.for_choice.empty();
  } else {
    options_.embedding.bytes = std::max(kSmallTables, byte_budget(tables, options_.embedding));
  }
}

/// For new tables of a size that the bytes say.
void ClickTraining::choose_storage() {
  EmbeddingOptions& embedding = options_.embedding;
  if (!options_.find_storage || starts_from_model_ ||
      find_method(embedding.method).has_one_size()) {
    return;
  }
  const TableSet tables = tables_of(samples_->encoder(), options_.dim);
  embedding.storage =
      storage_for(tables.num_values(), byte_budget(tables, embedding), StorageUse::training);
}

int ClickTraining::most_epochs() const {
  if (samples_->data() == nullptr) return 1;
  if (ends_by_validation_) return kMostEpochs;
  if (options_.epochs > 0 || options_.steps == 0) return options_.epochs;
  const std::uint64_t needed = (options_.steps + steps_per_epoch() - 1) / steps_per_epoch();
  return static_cast<int>(std::min<std::uint64_t>(needed, std::numeric_limits<int>::max()));
}

/// For the steps that there will be, where that is known.
TrainerSetup ClickTraining::trainer_setup() const {
  const ClickEncoder& encoder = samples_->encoder();
  if (ends_by_validation_ || found_epochs_ > 0) {
    return make_setup(options_, encoder, steps_per_epoch());
  }
  const std::uint64_t steps = total_steps();
  return make_setup(options_, encoder, steps == kNoEnd ? std::nullopt : std::optional(steps));
}

void ClickTraining::find_facts() {
  TrainFacts& facts = result_.facts;
  facts.samples = samples_->size();
  facts.epochs = ends_by_validation_ ? 0 : most_epochs();
  const TableSet& tables = embedding_->tables();
  facts.architecture = network_->architecture();
  facts.method = embedding_->method();
  facts.storage = dynamic_cast<const ArrayEmbedding*>(embedding_.get()) != nullptr
                      ? storage_name(options_.embedding.storage)
                      : "";
  facts.dim = tables.dim();
  facts.rows = tables.num_rows();
  facts.full_bytes = tables.num_values() * sizeof(float);
  facts.embedding_bytes = bytes_when_stored(*embedding_, options_.embedding);
  facts.embedding_parameters = embedding_->num_parameters();
  facts.network_parameters = network_->num_parameters();
  facts.description = samples_->encoder().describe();
  facts.columns = samples_->encoder().columns();
  facts.description.push_back(
      is_linear()
          ? "linear model, L2 " + format_number(options_.embedding_l2) + ", " +
                std::to_string(most_epochs()) + " sweeps over all samples"
          : options_.optimizer + ", rate " + format_number(options_.learning_rate) +
                ", of the embeddings " + format_number(options_.embedding_rate) + ", batches of " +
                std::to_string(batches_.share_one ? samples_of_step(options_) : batches_.size) +
                ", epochs: " +
                (ends_by_validation_ ? "until validation is best" : std::to_string(most_epochs())));
  const std::string steps = joint_step_text(batches_, "samples");
  if (!steps.empty()) facts.description.push_back(steps);
}

std::uint64_t ClickTraining::steps_per_epoch() const {
  const std::uint64_t step = samples_of_step(options_);
  return (samples_->size() + step - 1) / step;
}

std::uint64_t ClickTraining::total_steps() const {
  if (samples_->data() == nullptr) return options_.steps > 0 ? options_.steps : kNoEnd;
  const std::uint64_t all = steps_per_epoch() * static_cast<std::uint64_t>(most_epochs());
  return options_.steps > 0 ? std::min(all, options_.steps) : all;
}

namespace {

/// Stands for a model that a training begins with: no two have the same weights.
std::string network_fingerprint(const Network& network) {
  Document document;
  network.save(document);
  std::uint64_t hash = 0;
  for (const Tensor& t : document.tensors) {
    hash = hash_bytes(t.content().data(), t.content().size(), hash);
  }
  return std::to_string(hash);
}

}  // namespace

RunCheckpoint ClickTraining::open_checkpoint() const {
  if (options_.checkpoint.empty()) return {};
  RunIdentity identity{training_options(options_), {{"training data", samples_->fingerprint()}}};
  if (starts_from_model_) identity.inputs["initial model"] = network_fingerprint(*network_);
  return {options_, "robe-compress", std::move(identity)};
}

void ClickTraining::take_model(Document& state) {
  const std::string& path = options_.checkpoint;
  const MetadataReader read(state, path);
  take_choice(static_cast<ModelChoice>(read.number("train.choice", 0, kMostChoice)));
  options_.embedding_l2 = static_cast<float>(read.finite("train.l2", 0));
  linear_l2_ = read.finite("train.linear_l2", 0);
  embedding_ = load_embedding(state, path);
  train_for_storage(*embedding_, options_.embedding);
  if (!same_tables(embedding_->tables(), tables_of(samples_->encoder(), options_.dim))) {
    fail(ExitStatus::usage, path, ": cannot resume: the tables differ");
  }
  network_ = load_network(state, path, options_.network.precision);
  found_share_ = read.real("train.hot_share");
  found_epochs_ = static_cast<int>(read.number("train.epochs", 0, kMostEpochs));
  // Checkpoints of earlier versions lack it.
  kept_steps_ = state.metadata.contains("train.kept_steps") ? read.number("train.kept_steps") : 0;
}

TrainResult train(const TrainOptions& options, const TrainObserver& observer) {
  return ClickTraining(options, observer).run();
}

TrainResult train(ClickModel start, const TrainOptions& options, const TrainObserver& observer) {
  return ClickTraining(options, observer).run(std::move(start));
}

TrainResult train(ClickData& data, const TrainOptions& options, const TrainObserver& observer) {
  return ClickTraining(options, observer).run(data);
}

namespace {

std::uint64_t num_embedding_numbers(const EmbeddingOptions& options, const TableSet& tables) {
  if (find_method(options.method).has_one_size()) return tables.num_values();
  return numbers_in(options.storage, byte_budget(tables, options));
}

std::uint64_t num_network_numbers(const NetworkOptions& options, const NetworkShape& shape) {
  std::uint64_t sum = 0;
  for (const NamedShape& layer : network_layers(options, shape)) {
    sum += layer.shape.num_parameters();
  }
  return sum;
}

}  // namespace

void check_training_memory(const TrainOptions& options, const TableSet& tables,
                           const NetworkShape& shape) {
  const std::uint64_t embeddings = num_embedding_numbers(options.embedding, tables);
  const std::uint64_t network = num_network_numbers(options.network, shape);
  const std::uint64_t states = optimizer_rule(optimizer_from_name(options.optimizer)).num_states;
  // The weights of the network are there a second time, packed for the backward products.
  const std::uint64_t numbers = (1 + states) * embeddings + (2 + states) * network;
  check_memory("training " + format_bytes(embeddings * sizeof(float)) + " of embeddings and " +
                   format_bytes(network * sizeof(float)) + " of network with " + options.optimizer,
               numbers * sizeof(float));
}

}  // namespace frugal::robe
