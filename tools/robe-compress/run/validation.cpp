#include <filesystem>
#include <system_error>
#include <utility>

#include "libcore/base/error.h"
#include "libcore/base/log.h"
#include "libcore/base/text.h"
#include "tools/robe-compress/data/click_data.h"
#include "tools/robe-compress/data/click_source.h"
#include "tools/robe-compress/run/training.h"
#include "tools/robe-compress/serve/evaluate.h"

namespace frugal::robe {

bool ClickTraining::can_validate() const {
  return !options_.validation.empty() ||
         (samples_->data() != nullptr && samples_->data()->num_held_out() != 0);
}

BinaryMetrics ClickTraining::evaluate_validation() {
  if (trainer_) trainer_->bring_together();
  embedding_->refresh();
  if (!options_.validation.empty()) return evaluate_file(options_.validation);
  samples_->data()->start_held_out();
  BinaryMetrics metrics = evaluate(*predictor(), *samples_->data());
  warn_of_one_class(metrics);
  return metrics;
}

/// Once trained, the model is on the CPU, rounded as it is stored.
std::unique_ptr<Predictor> ClickTraining::predictor() {
  if (trainer_) return trainer_->predictor();
  return std::make_unique<ClickPredictor>(*embedding_, *network_);
}

Scores ClickTraining::validate(const RunPosition&) {
  validation_ = evaluate_validation();
  return {metric_values(*validation_), -validation_->log_loss(), 0};
}

bool ClickTraining::suffices(const RunPosition& at) const {
  return epochs_suffice(at.epoch, at.best_epoch, -at.best_score, *validation_, patience_);
}

/// Samples of another file are read as those that are trained on, and all of them.
ClickSource ClickTraining::open_samples(const std::string& path) const {
  ClickOptions options = options_.input;
  options.lines = options.days = "";
  return {path, options, samples_->encoder(), Labels::required};
}

BinaryMetrics ClickTraining::evaluate_file(const std::string& path) {
  ClickSource source = open_samples(path);
  BinaryMetrics metrics = evaluate(*predictor(), source);
  expect_samples(metrics, path, {});
  if (said_unknown_.insert(path).second) {
    const std::vector<UnknownValues> unknown = source.unknown_values();
    say_unknown(unknown, path);
    if (path == options_.validation) result_.validation_unknown = unknown;
  }
  warn_of_one_class(metrics);
  return metrics;
}

/// Fails before training if validation or test samples cannot be read. Pipes are not checked,
/// because they can be read only once.
void ClickTraining::check_other_samples() const {
  for (const std::string& path : {options_.validation, options_.test}) {
    std::error_code error;
    if (!std::filesystem::is_regular_file(path, error)) continue;
    ClickSource source = open_samples(path);
    ClickBatch first;
    if (!source.next(first, 1)) expect_samples({}, path, {});
  }
}

/// Fails if ranks have different samples: they would train different models.
void ClickTraining::check_ranks() const {
  if (options_.joint.accumulate > 1 && options_.joint.update == UpdateKind::each) {
    fail(ExitStatus::usage, "--update each goes with one mini-batch a step, found ",
         options_.joint.accumulate, ": leave it out");
  }
  std::error_code unknown;
  std::string same = samples_->data() != nullptr
                         ? "samples of hash " + samples_->fingerprint()
                         : "a stream of " +
                               std::to_string(std::filesystem::file_size(options_.data, unknown)) +
                               " bytes";
  if (starts_from_model_ && ranks_.size() > 1) {
    Document start;
    embedding_->save(start);
    network_->save(start);
    same += "\nan initial model of hash " + content_hash(start);
  }
  expect_agreement(ranks_, same);
}

/// " in column 'click'".
std::string ClickTraining::label_text() const {
  return " in column '" + printable(samples_->encoder().schema().label.name) + "'";
}

/// Fails (bad_input) if all samples have one class, from which a new model learns nothing. For a
/// model that is trained further, it warns.
void ClickTraining::check_classes() const {
  const ClickData* data = samples_->data();
  if (data == nullptr || (data->num_positives() != 0 && data->num_positives() != data->size())) {
    return;
  }
  const std::string found =
      options_.data + ": " + one_class_text(data->size(), data->num_positives(), label_text());
  if (!starts_from_model_) fail(ExitStatus::bad_input, found);
  log_warning(found);
}

/// Warns if all samples of a stream had one class, which is known only at its end.
void ClickTraining::warn_of_streamed_class() const {
  const auto positives = static_cast<std::uint64_t>(positives_);
  if (epoch_samples_ == 0 || (positives != 0 && positives != epoch_samples_)) return;
  log_warning(options_.data, ": ", one_class_text(epoch_samples_, positives, label_text()));
}

/// Warns once if validation samples have one class. Log-loss still determines the best epoch.
void ClickTraining::warn_of_one_class(const BinaryMetrics& metrics) {
  if (metrics.has_both_classes() || std::exchange(warned_of_one_class_, true)) return;
  log_warning(one_class_text(metrics));
}

}  // namespace frugal::robe
