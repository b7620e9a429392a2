#include "tools/robe-compress/train.h"

#include <algorithm>
#include <cmath>
#include <memory>

#include "libcore/base/error.h"
#include "libcore/base/log.h"
#include "libcore/base/text.h"
#include "libcore/embedding/array_embedding.h"
#include "libcore/embedding/embedding_file.h"
#include "libcore/metrics/run_log.h"
#include "libcore/nn/checkpoint.h"
#include "libcore/system/clock.h"
#include "libcore/system/output_file.h"
#include "libcore/system/signals.h"
#include "tools/robe-compress/click_model.h"
#include "tools/robe-compress/data/click_data.h"
#include "tools/robe-compress/data/click_source.h"
#include "tools/robe-compress/evaluate.h"
#include "tools/robe-compress/hot_search.h"
#include "tools/robe-compress/lookup_speed.h"
#include "tools/robe-compress/train_identity.h"
#include "tools/robe-compress/train_memory.h"
#include "tools/robe-compress/train_position.h"
#include "tools/robe-compress/train_rates.h"
#include "tools/robe-compress/trainer.h"
#include "tools/robe-compress/training_samples.h"

namespace frugal {
namespace {

constexpr double kProgressSeconds = 0.2;
constexpr std::uint64_t kNoEnd = std::uint64_t{1} << 62;

/// A model that is trained further stays what it is: fails (usage) where an option that is not the
/// usual one wants something else.
template <class Value>
void check_kept(const std::string& model, const char* option, const Value& wanted,
                const Value& usual, const Value& found) {
  if (wanted == usual || wanted == found) return;
  fail(ExitStatus::usage, model, ": a model with ", option, " ", found,
       ", which training does not change; leave out ", option, " ", wanted);
}

/// The run of one training: data, model, and the loop over epochs, checkpoints and validation.
class TrainingRun {
 public:
  TrainingRun(const TrainOptions& options, const TrainObserver& observer)
      : options_(options), observer_(observer), began_(wall_seconds()) {}
  TrainResult run();
  TrainResult run(ClickModel start);
  TrainResult run(ClickData& data);

 private:
  TrainResult run_on_samples();
  void make_model();
  TrainerSetup trainer_setup() const;
  double find_hot_share(const RowCounts& counts);
  void find_facts();
  std::optional<Document> open_checkpoint();
  void take_model(Document& state);
  void go_on(Document& state);
  void loop();
  void train_epoch();
  bool interrupted();
  bool out_of_time() const {
    return options_.time_budget > 0 && wall_seconds() - began_ >= options_.time_budget;
  }
  std::uint64_t steps_per_epoch() const;
  std::uint64_t total_steps() const;
  void report_progress();
  void finish_epoch();
  std::optional<BinaryMetrics> validate();
  void take_start();
  void keep_best();
  void save_checkpoint();
  void finish_model();
  void write_model();

  TrainOptions options_;
  const TrainObserver& observer_;
  double began_;
  bool starts_from_model_ = false;
  std::unique_ptr<TrainingSamples> samples_;
  std::unique_ptr<Embedding> embedding_;
  std::unique_ptr<Network> network_;
  std::unique_ptr<ClickTrainer> trainer_;
  std::unique_ptr<CheckpointFile> checkpoint_;
  TrainPosition at_;
  bool epoch_ended_ = false;
  double last_progress_ = 0;
  double last_checkpoint_ = 0;
  bool checkpoint_asked_ = false;
  TrainResult result_;
};

TrainResult TrainingRun::run() {
  if (!options_.init.empty()) {
    return run(load_model(options_.init, options_.network.precision));
  }
  check_embedding_options(options_.embedding, options_.dim);
  check_network_options(options_.network, options_.dim);
  if (options_.stream && options_.epochs > 1) {
    fail(ExitStatus::usage, "--stream is one pass over the samples: leave out --epochs ",
         options_.epochs);
  }
  check_output(options_.model);
  if (!options_.checkpoint.empty()) check_output(options_.checkpoint);
  const double began = wall_seconds();
  samples_ = std::make_unique<TrainingSamples>(options_.data, options_.input, options_.stream);
  result_.read_seconds = wall_seconds() - began;
  return run_on_samples();
}

TrainResult TrainingRun::run(ClickModel start) {
  check_output(options_.model);
  if (!options_.checkpoint.empty()) check_output(options_.checkpoint);
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
  options_.dim = embedding_->tables().dim();
  options_.embedding.method = embedding_->method();
  if (const auto* numbers = dynamic_cast<ArrayEmbedding*>(embedding_.get())) {
    options_.embedding.storage = numbers->array().storage();
  }
  samples_ =
      std::make_unique<TrainingSamples>(options_.data, options_.input, std::move(start.encoder));
  result_.read_seconds = wall_seconds() - began;
  return run_on_samples();
}

TrainResult TrainingRun::run(ClickData& data) {
  samples_ = std::make_unique<TrainingSamples>(data);
  return run_on_samples();
}

TrainResult TrainingRun::run_on_samples() {
  options_ = resolve_rates(std::move(options_), samples_->size());
  starts_from_model_ = embedding_ != nullptr;
  std::optional<Document> state = open_checkpoint();
  if (state) {
    take_model(*state);
  } else if (!starts_from_model_) {
    make_model();
  }
  result_.hot_share = at_.hot_share;
  find_facts();
  if (observer_.begun) observer_.begun(result_.facts);
  trainer_ = std::make_unique<ClickTrainer>(*embedding_, *network_, trainer_setup());
  if (state) {
    go_on(*state);
  } else if (starts_from_model_) {
    take_start();
  }
  loop();
  if (!result_.stopped) finish_model();
  return std::move(result_);
}

void TrainingRun::make_model() {
  const ClickEncoder& encoder = samples_->encoder();
  EmbeddingOptions embedding = options_.embedding;
  embedding.seed = options_.seed;
  const TableSet tables = tables_of(encoder, options_.dim);
  const NetworkShape shape{encoder.num_numbers(), encoder.num_fields(), options_.dim};
  check_training_memory(options_, tables, shape);
  const RowCounts counts = samples_->row_counts();
  if (embedding.method == "robe-hot") {
    if (options_.find_hot_share) embedding.hot_share = find_hot_share(counts);
    at_.hot_share = embedding.hot_share;
  }
  embedding_ = make_embedding(tables, embedding, counts);
  network_ = make_network(options_.network, shape, options_.seed);
}

double TrainingRun::find_hot_share(const RowCounts& counts) {
  if (counts.empty()) {
    fail(ExitStatus::usage, "robe-hot needs to know how often rows occur: use --ids count");
  }
  const std::vector<HotTrial> trials = search_hot_share(*samples_->data(), options_, counts);
  if (observer_.tried) observer_.tried(trials);
  return std::find_if(trials.begin(), trials.end(), [](const HotTrial& t) { return t.chosen; })
      ->share;
}

/// For the steps that there will be, where that is known.
TrainerSetup TrainingRun::trainer_setup() const {
  const std::uint64_t steps = total_steps();
  return make_setup(options_, steps == kNoEnd ? std::nullopt : std::optional(steps));
}

void TrainingRun::find_facts() {
  TrainFacts& facts = result_.facts;
  facts.samples = samples_->size();
  facts.epochs = options_.epochs;
  const TableSet& tables = embedding_->tables();
  facts.method = embedding_->method();
  facts.dim = tables.dim();
  facts.rows = tables.num_rows();
  facts.full_bytes = tables.num_values() * sizeof(float);
  facts.embedding_bytes = embedding_->num_bytes();
  facts.embedding_parameters = embedding_->num_parameters();
  facts.network_parameters = network_->num_parameters();
  facts.description = samples_->encoder().describe();
  facts.description.push_back(
      options_.optimizer + ", rate " + format_number(options_.learning_rate) +
      ", of the embeddings " + format_number(options_.embedding_rate) + ", batches of " +
      std::to_string(options_.batch_size) + ", epochs: " + std::to_string(options_.epochs));
}

std::uint64_t TrainingRun::steps_per_epoch() const {
  return (samples_->size() + options_.batch_size - 1) / options_.batch_size;
}

std::uint64_t TrainingRun::total_steps() const {
  if (samples_->data() == nullptr) return options_.steps > 0 ? options_.steps : kNoEnd;
  const std::uint64_t all = steps_per_epoch() * static_cast<std::uint64_t>(options_.epochs);
  return options_.steps > 0 ? std::min(all, options_.steps) : all;
}

/// What to go on from, if that is asked for and there.
std::optional<Document> TrainingRun::open_checkpoint() {
  if (options_.checkpoint.empty()) return std::nullopt;
  RunIdentity identity{{"configuration", training_text(options_)},
                       {"training data", samples_->fingerprint()}};
  if (starts_from_model_) identity["initial model"] = network_fingerprint(*network_);
  checkpoint_ =
      std::make_unique<CheckpointFile>(options_.checkpoint, "robe-compress", std::move(identity));
  if (!options_.resume) return std::nullopt;
  std::optional<Document> state = checkpoint_->load();
  if (!state) log_info("no checkpoint at ", options_.checkpoint, " yet: training from the start");
  return state;
}

void TrainingRun::take_model(Document& state) {
  embedding_ = load_embedding(state, options_.checkpoint);
  if (!same_tables(embedding_->tables(), tables_of(samples_->encoder(), options_.dim))) {
    fail(ExitStatus::usage, options_.checkpoint, ": cannot resume: the tables differ");
  }
  network_ = load_network(state, options_.checkpoint, options_.network.precision);
  at_ = TrainPosition::load(state, options_.checkpoint);
}

void TrainingRun::go_on(Document& state) {
  embedding_->load_state(state, options_.checkpoint);
  network_->load_state(state, options_.checkpoint);
  trainer_->set_step(result_.resumed_from = at_.step);
  if (observer_.log != nullptr) observer_.log->resume_after(static_cast<std::int64_t>(at_.step));
  log_info("going on from step ", at_.step);
}

void TrainingRun::loop() {
  const int epochs = samples_->data() != nullptr ? options_.epochs : 1;
  last_checkpoint_ = wall_seconds();
  while (at_.epoch < epochs && !result_.stopped && trainer_->step() < total_steps() &&
         !out_of_time()) {
    train_epoch();
    if (options_.patience > 0 && at_.epoch - at_.best_epoch >= options_.patience) break;
  }
  result_.steps = trainer_->step();
  result_.epochs = at_.epoch;
  result_.best_epoch = at_.best_epoch;
  if (result_.steps == 0 && out_of_time()) {
    fail(ExitStatus::usage, "--time-budget: ", format_seconds(wall_seconds() - began_),
         " went by before the first step; raise it");
  }
}

/// The rest of an epoch, with checkpoints where they are due.
void TrainingRun::train_epoch() {
  samples_->start_epoch(options_.seed, static_cast<std::uint64_t>(at_.epoch));
  if (at_.samples > 0) samples_->skip(at_.samples);
  epoch_ended_ = false;
  while (!epoch_ended_) {
    const double began = wall_seconds();
    const std::uint64_t left = total_steps() - trainer_->step();
    bool asked = false;
    trainer_->run(samples_->batches(), left, [&] { return asked = interrupted(); });
    result_.fit_seconds += wall_seconds() - began;
    const ClickTrainer::Progress progress = trainer_->take_progress();
    at_.loss_sum += progress.loss;
    at_.loss_samples += progress.samples;
    at_.samples += progress.samples;
    result_.trained_samples += progress.samples;
    epoch_ended_ = !asked;
    report_progress();
    if (out_of_time()) break;
    if (epoch_ended_) break;
    const bool due =
        checkpoint_ && wall_seconds() - last_checkpoint_ >= options_.checkpoint_seconds;
    if (stop_requested() || checkpoint_asked_ || due) save_checkpoint();
    if (stop_requested()) {
      result_.stopped = true;
      return;
    }
  }
  finish_epoch();
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
  if (!observer_.progress || at_.loss_samples == 0) return;
  const double done = samples_->data() == nullptr
                          ? static_cast<double>(trainer_->step() * options_.batch_size)
                          : static_cast<double>(trainer_->step()) /
                                static_cast<double>(std::max<std::uint64_t>(1, steps_per_epoch()));
  observer_.progress(
      done, "loss " + format_number(at_.loss_sum / static_cast<double>(at_.loss_samples), 4));
}

void TrainingRun::finish_epoch() {
  ++at_.epoch;
  result_.loss = at_.loss_sum / static_cast<double>(std::max<std::uint64_t>(1, at_.loss_samples));
  StepValues values = {
      {"epoch", at_.epoch}, {"loss", result_.loss}, {"fit_seconds", result_.fit_seconds}};
  at_.loss_sum = 0;
  at_.loss_samples = at_.samples = 0;
  std::optional<BinaryMetrics> metrics = validate();
  if (metrics) {
    for (const auto& [name, value] : metric_values(*metrics)) {
      values.emplace_back("validation_" + name, value);
    }
    if (observer_.validated) observer_.validated(at_.epoch, *metrics);
    if (metrics->log_loss() < at_.best_loss) {
      at_.best_loss = metrics->log_loss();
      at_.best_epoch = at_.epoch;
      result_.validation = std::move(metrics);
      keep_best();
    }
  } else {
    at_.best_epoch = at_.epoch;
  }
  if (observer_.log != nullptr) {
    observer_.log->step(static_cast<std::int64_t>(trainer_->step()), values);
  }
}

/// The model that the run begins with is the best so far.
void TrainingRun::take_start() {
  result_.validation = validate();
  if (!result_.validation) return;
  at_.best_loss = result_.validation->log_loss();
  if (observer_.validated) observer_.validated(0, *result_.validation);
  keep_best();
}

/// A copy of the model, where an epoch may follow that makes it worse.
void TrainingRun::keep_best() {
  const int epochs = samples_->data() != nullptr ? options_.epochs : 1;
  at_.best.reset();
  if (at_.epoch >= epochs) return;
  Document model;
  embedding_->save(model);
  network_->save(model);
  at_.best = std::make_unique<Document>(model.clone());
}

std::optional<BinaryMetrics> TrainingRun::validate() {
  ClickPredictor predictor(*embedding_, *network_);
  if (!options_.validation.empty()) {
    ClickOptions options = options_.input;
    options.lines = options.days = "";
    ClickSource source(options_.validation, options, samples_->encoder(), Labels::required);
    return evaluate(predictor, source);
  }
  if (samples_->data() == nullptr || samples_->data()->num_held_out() == 0) return std::nullopt;
  samples_->data()->start_held_out();
  return evaluate(predictor, *samples_->data());
}

void TrainingRun::save_checkpoint() {
  last_checkpoint_ = wall_seconds();
  checkpoint_asked_ = false;
  if (!checkpoint_) return;
  Document state;
  embedding_->save(state);
  embedding_->save_state(state);
  network_->save(state);
  network_->save_state(state);
  at_.step = trainer_->step();
  at_.save(state);
  checkpoint_->save(std::move(state));
  log_verbose("checkpoint written at step ", trainer_->step());
}

/// Takes the best epoch's model and rounds it as it will be stored.
void TrainingRun::finish_model() {
  trainer_.reset();
  if (at_.best && at_.best_epoch != at_.epoch) {
    embedding_ = load_embedding(*at_.best, "the best epoch");
    network_ = load_network(*at_.best, "the best epoch", options_.network.precision);
    log_info("the model of epoch ", at_.best_epoch, " of ", at_.epoch, " validates best");
  }
  at_.best.reset();
  const std::uint64_t bytes = embedding_->num_bytes();
  round_to_storage(embedding_, options_.embedding);
  result_.facts.embedding_bytes = embedding_->num_bytes();
  // A resumed run knows only the loss of an epoch before.
  if (embedding_->num_bytes() != bytes || !result_.validation) result_.validation = validate();
  if (options_.measure_lookups) result_.lookups_per_second = measure_lookups(*embedding_);
  if (!options_.model.empty()) write_model();
}

void TrainingRun::write_model() {
  const double began = wall_seconds();
  Document document;
  save_model(samples_->encoder(), *embedding_, *network_, document);
  document.metadata["frugal.config"] = options_.config;
  document.metadata["frugal.history"] = "[" + options_.history_entry + "]";
  document.metadata["frugal.seed"] = std::to_string(options_.seed);
  TensorWriteOptions write;
  write.if_changed = options_.if_changed;
  write_document(options_.model, document, write);
  result_.write_seconds = wall_seconds() - began;
}

}  // namespace

TrainResult train(const TrainOptions& options, const TrainObserver& observer) {
  return TrainingRun(options, observer).run();
}

TrainResult train(ClickModel start, const TrainOptions& options, const TrainObserver& observer) {
  return TrainingRun(options, observer).run(std::move(start));
}

TrainResult train(ClickData& data, const TrainOptions& options, const TrainObserver& observer) {
  return TrainingRun(options, observer).run(data);
}

}  // namespace frugal
