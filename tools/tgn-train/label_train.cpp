#include "tools/tgn-train/label_train.h"

#include <algorithm>
#include <cmath>

#include "libcore/base/error.h"
#include "libcore/base/text.h"
#include "libcore/metrics/run_log.h"
#include "libcore/system/clock.h"
#include "libcore/system/output_file.h"
#include "libcore/system/signals.h"
#include "tools/tgn-train/model_file.h"

namespace frugal::tgn {
namespace {

EventSplitOptions all_nodes(EventSplitOptions split) {
  split.new_nodes = 0;
  return split;
}

class LabelTraining {
 public:
  LabelTraining(const LabelTrainOptions& options, const LabelTrainObserver& observer)
      : options_(options),
        observer_(observer),
        began_(wall_seconds()),
        stored_(read_model(options.from, options.precision, options.place)),
        data_(options.events, all_nodes(stored_.split)) {}
  LabelTrainResult run();

 private:
  void look_at_data();
  void make_decoder();
  void embed();
  void train_epoch();
  void validate();
  void write_model();
  bool out_of_time() const {
    return options_.time_budget > 0 && wall_seconds() - began_ >= options_.time_budget;
  }
  MatrixView<const float> embeddings() const {
    return {embedded_.data(), data_.stream().num_events(), stored_.labels->dim()};
  }

  const LabelTrainOptions& options_;
  const LabelTrainObserver& observer_;
  double began_;
  StoredTgn stored_;
  LinkData data_;
  Array<float> embedded_;
  Document best_;
  LabelTrainResult result_;
};

LabelTrainResult LabelTraining::run() {
  if (!options_.model.empty()) check_output(options_.model);
  check_inputs(stored_, data_.stream(), options_.from);
  check_labels(data_);
  look_at_data();
  make_decoder();
  result_.read_seconds = wall_seconds() - began_;
  if (observer_.begun) observer_.begun(result_);
  embed();
  const auto patient = [this] {
    return options_.patience == 0 || result_.epochs - result_.best_epoch < options_.patience;
  };
  while (result_.epochs < options_.epochs && patient() && !(result_.epochs > 0 && out_of_time())) {
    train_epoch();
    validate();
  }
  stored_.labels->load(best_, "the best epoch");
  result_.test = test_labels(*stored_.labels, data_, EventPart::test, embeddings());
  if (!options_.model.empty()) write_model();
  return result_;
}

void LabelTraining::look_at_data() {
  result_.nodes = data_.stream().num_nodes();
  result_.num_events = data_.stream().num_events();
  for (const EventPart part : {EventPart::train, EventPart::valid, EventPart::test}) {
    const auto p = static_cast<std::size_t>(part);
    result_.events[p] = data_.split().num_events(part);
    result_.labelled[p] = count_labelled(data_, part);
  }
}

void LabelTraining::make_decoder() {
  stored_.labels =
      std::make_unique<LabelDecoder>(stored_.model->options().memory_dim, options_.dropout);
  stored_.label_batch = options_.batch;
  stored_.labels->randomize(options_.seed);
  OptimizerOptions optimizer;
  optimizer.kind = OptimizerKind::adam;
  optimizer.corrected_epsilon = true;
  stored_.labels->prepare_training(optimizer);
  result_.parameters = stored_.labels->num_parameters();
}

void LabelTraining::embed() {
  const double began = wall_seconds();
  SessionOptions placed = stored_.session;
  placed.place = options_.place;
  StreamSession session(*stored_.model, data_.events(), data_.all_neighbors(), data_.features(),
                        placed);
  embedded_ = embed_sources(session, data_, options_.batch, observer_.embedding);
  result_.embed_seconds = wall_seconds() - began;
}

void LabelTraining::train_epoch() {
  const double began = wall_seconds();
  const std::size_t end = data_.split().end(EventPart::train);
  double loss_sum = 0;
  for (std::size_t at = 0; at < end;) {
    if (stop_requested()) {
      fail(stop_status(false), "stopped at step ", result_.steps, "; the work is lost");
    }
    const std::size_t n = std::min(options_.batch, end - at);
    const double loss = stored_.labels->train(
        embeddings().rows_between(at, at + n), data_.stream().labels().subspan(at, n),
        {true, options_.seed, result_.steps}, static_cast<float>(options_.learning_rate));
    if (!std::isfinite(loss)) {
      fail(ExitStatus::bad_input, "the loss is not finite at step ", result_.steps,
           "; lower --learning-rate");
    }
    loss_sum += loss * static_cast<double>(n);
    ++result_.steps;
    at += n;
  }
  ++result_.epochs;
  result_.loss = loss_sum / static_cast<double>(end);
  result_.fit_seconds += wall_seconds() - began;
}

void LabelTraining::validate() {
  const LabelMetrics metrics = test_labels(*stored_.labels, data_, EventPart::valid, embeddings());
  if (observer_.log != nullptr) {
    observer_.log->step(static_cast<std::int64_t>(result_.steps),
                        {{"epoch", result_.epochs},
                         {"loss", result_.loss},
                         {"fit_seconds", result_.fit_seconds},
                         {"validation_auc", metrics.auc},
                         {"validation_ap", metrics.ap}});
  }
  if (observer_.validated) observer_.validated(result_.epochs, result_.loss, metrics);
  if (result_.best_epoch != 0 && !(metrics.auc > result_.valid.auc)) return;
  result_.best_epoch = result_.epochs;
  result_.valid = metrics;
  best_ = Document();
  stored_.labels->save(best_);
}

void LabelTraining::write_model() {
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

LabelTrainResult train_labels(const LabelTrainOptions& options,
                              const LabelTrainObserver& observer) {
  return LabelTraining(options, observer).run();
}

}  // namespace frugal::tgn
