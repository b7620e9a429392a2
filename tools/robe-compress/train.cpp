#include "tools/robe-compress/train.h"

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
#include "tools/robe-compress/click_model.h"
#include "tools/robe-compress/data/click_data.h"
#include "tools/robe-compress/data/click_source.h"
#include "tools/robe-compress/embedding/embedding_file.h"
#include "tools/robe-compress/evaluate.h"
#include "tools/robe-compress/hot_search.h"
#include "tools/robe-compress/lookup_speed.h"
#include "tools/robe-compress/train_identity.h"
#include "tools/robe-compress/train_rates.h"
#include "tools/robe-compress/trainer.h"
#include "tools/robe-compress/training_samples.h"

namespace frugal {
namespace {

constexpr double kProgressSeconds = 0.2;
const std::string kBest = "best.";  ///< before the names of the best epoch's model
constexpr std::uint64_t kNoEnd = std::uint64_t{1} << 62;

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
  void make_trainer();
  void find_facts();
  void restore();
  void restore_best(const Document& state);
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
  int epoch_ = 0;                   ///< being trained, from 0
  std::uint64_t samples_done_ = 0;  ///< of it
  bool epoch_ended_ = false;
  double loss_sum_ = 0;  ///< of the epoch
  std::uint64_t loss_samples_ = 0;
  double best_loss_ = HUGE_VAL;     ///< on the validation samples
  std::unique_ptr<Document> best_;  ///< model of that epoch, where it is not the last
  double last_progress_ = 0;
  double last_checkpoint_ = 0;
  bool checkpoint_asked_ = false;
  TrainResult result_;
};

TrainResult TrainingRun::run() {
  if (!options_.init.empty()) {
    return run(load_model(options_.init, options_.network.precision));
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
  const double began = wall_seconds();
  embedding_ = std::move(start.embedding);
  network_ = std::move(start.network);
  options_.dim = embedding_->tables().dim();
  options_.embedding.method = embedding_->method();
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
  make_model();
  find_facts();
  if (observer_.begun) observer_.begun(result_.facts);
  make_trainer();
  restore();
  if (starts_from_model_ && trainer_->step() == 0) take_start();
  loop();
  if (!result_.stopped) finish_model();
  return std::move(result_);
}

void TrainingRun::make_model() {
  if (embedding_ != nullptr) return;
  const ClickEncoder& encoder = samples_->encoder();
  EmbeddingOptions embedding = options_.embedding;
  embedding.seed = options_.seed;
  const TableSet tables = tables_of(encoder, options_.dim);
  const RowCounts counts = samples_->row_counts();
  if (embedding.method == "robe-hot") {
    if (options_.find_hot_share) embedding.hot_share = find_hot_share(counts);
    result_.hot_share = embedding.hot_share;
  }
  embedding_ = make_embedding(tables, embedding, counts);
  network_ = make_network(
      options_.network, {encoder.num_numbers(), encoder.num_fields(), options_.dim}, options_.seed);
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

void TrainingRun::make_trainer() {
  trainer_ = std::make_unique<ClickTrainer>(*embedding_, *network_, trainer_setup());
}

void TrainingRun::find_facts() {
  TrainFacts& facts = result_.facts;
  facts.samples = samples_->size();
  facts.epochs = options_.epochs;
  if (samples_->data() != nullptr) facts.clicks = samples_->data()->num_positives();
  const TableSet& tables = embedding_->tables();
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

void TrainingRun::restore() {
  if (options_.checkpoint.empty()) return;
  checkpoint_ =
      std::make_unique<CheckpointFile>(options_.checkpoint, "robe-compress",
                                       RunIdentity{{"configuration", training_text(options_)},
                                                   {"training data", samples_->fingerprint()}});
  if (!options_.resume) return;
  const std::optional<Document> state = checkpoint_->load();
  if (!state) {
    log_info("no checkpoint at ", options_.checkpoint, " yet: training from the start");
    return;
  }
  const MetadataReader read(*state, options_.checkpoint);
  embedding_ = load_embedding(*state, options_.checkpoint);
  if (!same_tables(embedding_->tables(), tables_of(samples_->encoder(), options_.dim))) {
    fail(ExitStatus::usage, options_.checkpoint, ": cannot resume: the tables differ");
  }
  network_ = load_network(*state, options_.checkpoint, options_.network.precision);
  make_trainer();
  embedding_->load_state(*state, options_.checkpoint);
  network_->load_state(*state, options_.checkpoint);
  trainer_->set_step(result_.resumed_from = read.number("frugal.step"));
  epoch_ = static_cast<int>(read.number("train.epoch", 0, 1 << 30));
  samples_done_ = read.number("train.samples");
  loss_samples_ = read.number("train.loss_samples");
  loss_sum_ = parse_number<double>(read.text("train.loss_sum")).value_or(0);
  result_.best_epoch = static_cast<int>(read.number("train.best_epoch", 0, 1 << 30));
  best_loss_ = parse_number<double>(read.text("train.best_loss")).value_or(HUGE_VAL);
  restore_best(*state);
  if (observer_.log != nullptr) {
    observer_.log->resume_after(static_cast<std::int64_t>(result_.resumed_from));
  }
  log_info("going on from step ", result_.resumed_from);
}

/// The best epoch's model, where the checkpoint has one.
void TrainingRun::restore_best(const Document& state) {
  auto best = std::make_unique<Document>();
  for (const auto& [key, value] : state.metadata) {
    if (key.starts_with(kBest)) best->metadata[key.substr(kBest.size())] = value;
  }
  for (const Tensor& tensor : state.tensors) {
    if (!tensor.name.starts_with(kBest)) continue;
    best->tensors.push_back(tensor.clone());
    best->tensors.back().name = tensor.name.substr(kBest.size());
  }
  if (!best->tensors.empty()) best_ = std::move(best);
}

void TrainingRun::loop() {
  const int epochs = samples_->data() != nullptr ? options_.epochs : 1;
  last_checkpoint_ = wall_seconds();
  while (epoch_ < epochs && !result_.stopped && trainer_->step() < total_steps() &&
         !out_of_time()) {
    train_epoch();
    if (options_.patience > 0 && epoch_ - result_.best_epoch >= options_.patience) break;
  }
  result_.steps = trainer_->step();
  result_.epochs = epoch_;
}

/// The rest of an epoch, with checkpoints where they are due.
void TrainingRun::train_epoch() {
  samples_->start_epoch(options_.seed, static_cast<std::uint64_t>(epoch_));
  if (samples_done_ > 0) samples_->skip(samples_done_);
  epoch_ended_ = false;
  while (!epoch_ended_) {
    const double began = wall_seconds();
    const std::uint64_t left = total_steps() - trainer_->step();
    bool asked = false;
    trainer_->run(samples_->batches(), left, [&] { return asked = interrupted(); });
    result_.fit_seconds += wall_seconds() - began;
    const ClickTrainer::Progress progress = trainer_->take_progress();
    loss_sum_ += progress.loss;
    loss_samples_ += progress.samples;
    samples_done_ += progress.samples;
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
  if (!observer_.progress || loss_samples_ == 0) return;
  const double done = samples_->data() == nullptr
                          ? static_cast<double>(trainer_->step() * options_.batch_size)
                          : static_cast<double>(trainer_->step()) /
                                static_cast<double>(std::max<std::uint64_t>(1, steps_per_epoch()));
  observer_.progress(done,
                     "loss " + format_number(loss_sum_ / static_cast<double>(loss_samples_), 4));
}

void TrainingRun::finish_epoch() {
  ++epoch_;
  result_.loss = loss_sum_ / static_cast<double>(std::max<std::uint64_t>(1, loss_samples_));
  StepValues values = {
      {"epoch", epoch_}, {"loss", result_.loss}, {"fit_seconds", result_.fit_seconds}};
  loss_sum_ = 0;
  loss_samples_ = samples_done_ = 0;
  std::optional<BinaryMetrics> metrics = validate();
  if (metrics) {
    for (const auto& [name, value] : metric_values(*metrics)) {
      values.emplace_back("validation_" + name, value);
    }
    if (observer_.validated) observer_.validated(epoch_, *metrics);
    if (metrics->log_loss() < best_loss_) {
      best_loss_ = metrics->log_loss();
      result_.best_epoch = epoch_;
      result_.validation = std::move(metrics);
      keep_best();
    }
  } else {
    result_.best_epoch = epoch_;
  }
  if (observer_.log != nullptr) {
    observer_.log->step(static_cast<std::int64_t>(trainer_->step()), values);
  }
}

/// The model that the run begins with is the best so far.
void TrainingRun::take_start() {
  result_.validation = validate();
  if (!result_.validation) return;
  best_loss_ = result_.validation->log_loss();
  if (observer_.validated) observer_.validated(0, *result_.validation);
  keep_best();
}

/// A copy of the model, where an epoch may follow that makes it worse.
void TrainingRun::keep_best() {
  const int epochs = samples_->data() != nullptr ? options_.epochs : 1;
  best_.reset();
  if (epoch_ >= epochs) return;
  Document model;
  embedding_->save(model);
  network_->save(model);
  best_ = std::make_unique<Document>(model.clone());
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
  state.metadata["frugal.step"] = std::to_string(trainer_->step());
  state.metadata["train.epoch"] = std::to_string(epoch_);
  state.metadata["train.samples"] = std::to_string(samples_done_);
  state.metadata["train.loss_sum"] = format_number(loss_sum_);
  state.metadata["train.loss_samples"] = std::to_string(loss_samples_);
  state.metadata["train.best_epoch"] = std::to_string(result_.best_epoch);
  state.metadata["train.best_loss"] = format_number(best_loss_);
  if (best_) {
    for (const auto& [key, value] : best_->metadata) state.metadata[kBest + key] = value;
    for (const Tensor& t : best_->tensors) {
      state.tensors.push_back({kBest + t.name, t.dtype, t.shape, {}, t.content()});
    }
  }
  checkpoint_->save(std::move(state));
  log_verbose("checkpoint written at step ", trainer_->step());
}

/// Takes the best epoch's model and rounds it as it will be stored.
void TrainingRun::finish_model() {
  trainer_.reset();
  if (best_ && result_.best_epoch != epoch_) {
    embedding_ = load_embedding(*best_, "the best epoch");
    network_ = load_network(*best_, "the best epoch", options_.network.precision);
    log_info("the model of epoch ", result_.best_epoch, " of ", epoch_, " validates best");
  }
  best_.reset();
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
