#include "tools/tgn-train/epoch_validation.h"

namespace frugal::tgn {

EpochValidation::EpochValidation(const LinkData& data, const EvaluationNegatives& negatives,
                                 StreamSession& session, const Options& options)
    : data_(data),
      negatives_(negatives),
      session_(session),
      options_(options),
      best_(options.weights_only ? nullptr : std::make_unique<StateCopy>(session)) {}

void EpochValidation::make_memory(EventId from) {
  if (options_.weights_only) return make_memory_anew();
  session_.settle();
  learn_training(data_, session_, from, options_.window);
}

LinkMetrics EpochValidation::validate() {
  session_.keep_state();
  LinkEvaluation evaluation(data_, negatives_, session_, {options_.batch, Ties::strict, nullptr});
  LinkMetrics metrics = evaluation.run(EventPart::valid, false, nullptr);
  session_.restore();
  return metrics;
}

void EpochValidation::make_memory_anew() {
  session_.restart(Weights::fixed);
  learn_training(data_, session_, 0, options_.window);
}

void EpochValidation::keep_best() {
  if (best_) best_->take();
}

void EpochValidation::take_best() {
  if (!best_) return make_memory_anew();
  session_.restart(Weights::fixed);
  session_.load(best_->state(), "the best epoch");
}

void EpochValidation::save(Document& checkpoint) const {
  if (best_) best_->save(checkpoint);
}

void EpochValidation::load(const Document& checkpoint, const std::string& path) {
  if (best_) best_->load(checkpoint, path);
}

TensorPlaces EpochValidation::places() { return best_ ? best_->places() : TensorPlaces(); }

}  // namespace frugal::tgn
