#include "tools/tgn-train/labels/training.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "libcore/base/hash.h"
#include "libcore/base/log.h"
#include "libcore/base/text.h"
#include "libcore/system/clock.h"
#include "libcore/system/limits.h"
#include "libcore/train/training_run.h"
#include "tools/tgn-train/data/stream_fingerprint.h"
#include "tools/tgn-train/links/scaled_features.h"
#include "tools/tgn-train/model/model_file.h"
#include "tools/tgn-train/model/prediction_state.h"
#include "tools/tgn-train/settings/train_fields.h"

namespace frugal::tgn {
namespace {

EventSplitOptions all_nodes(EventSplitOptions split) {
  split.new_nodes = 0;
  return split;
}

constexpr char kLabelsKey[] = "checkpoint.labels";

std::string labels_fingerprint(const EventStream& stream) {
  std::uint64_t hash = hash_bytes(stream.targets().data(), stream.targets().size_bytes(),
                                  hash_bytes(stream.labels().data(), stream.labels().size_bytes()));
  for (const std::string& name : stream.class_names()) {
    hash = hash_bytes(name, hash_combine(hash, name.size()));
  }
  return std::to_string(hash);
}

class LabelTraining final : public Trainee {
 public:
  LabelTraining(const LabelTrainOptions& options, const LabelTrainObserver& observer)
      : options_(options),
        observer_(observer),
        clock_(options),
        stored_(options.from.empty() ? TgnModelFile()
                                     : read_model(options.from, options.precision, options.place)),
        data_(options.events, all_nodes(stored_.split), stored_.types),
        labels_(data_) {}
  LabelTrainResult run();

  void begin_epoch(const RunPosition&) override {}
  TrainedPart advance(const RunPosition& at, std::uint64_t most,
                      const std::function<bool()>& interrupted) override;
  bool can_validate() const override { return true; }
  Scores validate(const RunPosition& at) override;
  void save_model(Document& document) const override { stored_.labels->save(document); }
  void load_model(Document& document, const std::string& place) override {
    stored_.labels->load(document, place);
  }
  void save_state(Document& state) override {
    stored_.labels->save_state(state);
    state.metadata[kLabelsKey] = labels_fingerprint(data_.stream());
  }
  void resume(Document& state, const std::string& path) override;

 private:
  void do_without_network();
  void look_at_data();
  void make_decoder();
  RunCheckpoint open_checkpoint();
  void embed();
  void write_model();
  LabelMetrics test(EventPart part) {
    const EventSplit& split = data_.split();
    return test_labels(*stored_.labels, stored_.label_task, labels_,
                       {split.begin(part), split.end(part)}, inputs_);
  }

  const LabelTrainOptions& options_;
  const LabelTrainObserver& observer_;
  RunClock clock_;
  TgnModelFile stored_;
  LinkData data_;
  EventLabels labels_;
  std::vector<EventId> training_;  ///< training events that have a label
  LabelInputs inputs_;
  LabelMetrics validation_;  ///< the last one
  LabelTrainResult result_;
};

LabelTrainResult LabelTraining::run() {
  check_outputs(options_, options_.model);
  if (options_.from.empty()) {
    do_without_network();
  } else {
    check_embeds_nodes(stored_, options_.from);
    check_inputs(stored_, data_.stream(), options_.from);
  }
  labels_.check();
  look_at_data();
  const RunCheckpoint checkpoint = open_checkpoint();
  std::optional<Document> state = checkpoint.load();
  make_decoder();
  result_.read_seconds = clock_.seconds();
  if (observer_.begun) observer_.begun(result_);
  embed();
  RunObserver observer;
  observer.log = observer_.log;
  observer.validated = [this](const RunPosition& at, const Scores&, bool best) {
    if (observer_.validated) observer_.validated(at.epoch, at.loss, validation_);
    if (best) result_.valid = validation_;
  };
  RunSettings settings;
  settings.epochs = options_.epochs;
  settings.patience = options_.patience;
  const auto ranks = single_process();
  RunFigures& figures = result_;
  figures = run_training(*this, settings, {clock_, checkpoint, *ranks, observer},
                         state ? &*state : nullptr)
                .figures;
  if (result_.stopped) return result_;
  expect_steps(result_, clock_);
  // A resumed run knows only the score of an epoch before.
  result_.valid = test(EventPart::valid);
  result_.test = test(EventPart::test);
  if (!options_.model.empty()) write_model();
  result_.baselines = test_label_baselines(data_, labels_, stored_.label_task);
  return result_;
}

/// Checkpoints of earlier versions do not identify their labels.
void LabelTraining::resume(Document& state, const std::string& path) {
  const auto found = state.metadata.find(kLabelsKey);
  if (found != state.metadata.end() && found->second != labels_fingerprint(data_.stream())) {
    fail(ExitStatus::usage, path,
         ": cannot resume: the labels of the events differ, expected those of the checkpoint");
  }
  stored_.labels->load(state, path);
  stored_.labels->load_state(state, path);
}

/// A model file has no more.
void check_width(const EventStream& stream) {
  const std::size_t types = stream.type_names().size();
  if (types > kMostNetworkTypes) {
    fail(ExitStatus::usage, stream.path(), ": has ", types, " edge types, expected at most ",
         kMostNetworkTypes, "; give rare types one name, and import again");
  }
  const std::size_t width =
      std::max(stream.edge_features().width(), stream.node_features().width());
  if (width <= kMostFeatures) return;
  fail(ExitStatus::usage, stream.path(), ": has ", width, " features, expected at most ",
       kMostFeatures);
}

/// Features and times are scaled as in a training of links.
void LabelTraining::do_without_network() {
  const EventStream& stream = data_.stream();
  check_width(stream);
  TgnInputs inputs;
  inputs.types = stream.type_names().size();
  inputs.edge_features = stream.edge_features().width();
  inputs.node_features = !stream.node_features().empty();
  stored_.architecture = kNoNetwork;
  stored_.model = std::make_unique<TgnModel>(no_network(stream.node_features().dim), inputs);
  stored_.features = stream.feature_names();
  stored_.roles = stream.role_names();
  stored_.types = stream.type_names();
  stored_.type_column = stream.type_column();
  TimeScale& time = stored_.session.time;
  time.unit = measure_time_unit(data_.events(), [this](EventId e) { return data_.trains(e); });
  time.steps = kStepsOfUnit;
  scale_features(data_, "", stored_.session);
}

/// Identified by the model of links as it was read.
RunCheckpoint LabelTraining::open_checkpoint() {
  if (options_.checkpoint.empty()) return {};
  Document links;
  tgn::save_model(stored_, links);
  return {options_,
          "tgn-train",
          {training_options(options_),
           {{"model of links", model_fingerprint(links)},
            {"events", stream_fingerprint(data_.stream())}}}};
}

void LabelTraining::look_at_data() {
  result_.nodes = data_.stream().num_nodes();
  result_.num_events = data_.stream().num_events();
  for (const EventPart part : kEventParts) {
    const auto p = static_cast<std::size_t>(part);
    result_.events[p] = data_.split().num_events(part);
    result_.labelled[p] = labels_.count(part);
  }
  result_.type = labels_.type();
  training_ = labels_.events(EventPart::train);
}

void LabelTraining::make_decoder() {
  LabelTask& task = stored_.label_task;
  task = {options_.of_event,
          options_.event_features,
          options_.label_history == "yes" ||
              ((options_.of_event || options_.from.empty()) && options_.label_history == "auto"),
          false,
          labels_.type(),
          labels_.classes(),
          {}};
  if (task.reads_history && stored_.session.time.is_raw()) {
    log_info(options_.from, ": the model has no unit of time, so ages of labels are not read");
  }
  task.reads_ages = task.reads_history && !stored_.session.time.is_raw();
  if (task.type == LabelType::numbers) task.scale = labels_.scale();
  labels_.check_range(task);
  if (task.reads_features && data_.stream().edge_features().empty()) {
    fail(ExitStatus::usage, "--event-features goes with features, and ", options_.events,
         " has none");
  }
  if (options_.from.empty() && task.of_event && !task.reads_features &&
      !data_.stream().edge_features().empty()) {
    log_info(options_.events, ": events have ",
             format_count(data_.stream().edge_features().width(), "feature"),
             ", which --event-features reads");
  }
  result_.reads = label_reads(task, *stored_.model);
  if (task.inputs(*stored_.model) == 0) {
    fail(ExitStatus::usage, options_.events,
         ": without --from and past labels there is nothing to predict from, expected "
         "--label-history yes or --event-features");
  }
  stored_.labels = std::make_unique<LabelDecoder>(task.inputs(*stored_.model), options_.dropout,
                                                  task.type, task.classes.size());
  stored_.label_batch = options_.batch;
  stored_.labels->randomize(options_.seed);
  OptimizerOptions optimizer;
  optimizer.kind = OptimizerKind::adam;
  optimizer.corrected_epsilon = true;
  stored_.labels->prepare_training(optimizer, task.reads_history);
  result_.parameters = stored_.labels->num_parameters();
}

void LabelTraining::embed() {
  const double began = wall_seconds();
  const LabelTask& task = stored_.label_task;
  // The baselines come last, and what they need is known now.
  LabelHistory(task.type, task.width()).check_room(data_.stream().num_nodes());
  check_memory(
      "a batch of what a decoder reads of events",
      2 * std::min(options_.batch, training_.size()) * task.inputs(*stored_.model) * sizeof(float));
  SessionOptions placed = stored_.session;
  placed.place = options_.place;
  StreamSession session(*stored_.model, data_.events(), data_.all_neighbors(), data_.features(),
                        placed);
  inputs_ = label_inputs(session, data_, labels_, task, options_.batch, observer_.embedding);
  result_.embed_seconds = wall_seconds() - began;
}

/// A batch of labelled events in turn; position.samples of the epoch are trained on.
TrainedPart LabelTraining::advance(const RunPosition& at, std::uint64_t,
                                   const std::function<bool()>&) {
  const std::size_t begin = at.samples, dim = inputs_.dim();
  const std::size_t n = std::min(options_.batch, training_.size() - begin);
  std::vector<float> rows(n * dim), labels;
  for (const EventId event : std::span(training_).subspan(begin, n)) {
    inputs_.read(event, rows.data() + labels.size() * dim);
    labels.push_back(stored_.label_task.scaled(labels_.at(event)));
  }
  const double loss =
      stored_.labels->train({rows.data(), n, dim}, labels, {true, options_.seed, at.step},
                            static_cast<float>(options_.learning_rate));
  return {1, n, loss * static_cast<double>(n), begin + n == training_.size()};
}

Scores LabelTraining::validate(const RunPosition&) {
  validation_ = test(EventPart::valid);
  return {validation_.values, validation_.score, 0};
}

void LabelTraining::write_model() {
  Document document;
  tgn::save_model(stored_, document);
  write_trained_model(std::move(document), options_, options_.model);
}

}  // namespace

LabelTrainResult train_labels(const LabelTrainOptions& options,
                              const LabelTrainObserver& observer) {
  return LabelTraining(options, observer).run();
}

}  // namespace frugal::tgn
