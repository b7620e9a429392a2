#include "tools/tgn-train/epoch_validation.h"

namespace frugal::tgn {

LinkMetrics EpochValidation::validate(int epoch, EventId from) {
  if (options_.weights_only) {
    make_memory_anew();
  } else {
    session_.settle();
    learn_training(data_, session_, from, options_.window);
  }
  session_.keep_state();
  LinkEvaluation evaluation(data_, negatives_, session_, {options_.batch, Ties::strict, nullptr});
  LinkMetrics metrics = evaluation.run(EventPart::valid, false, nullptr);
  session_.restore();
  session_has_best_ = best_.offer(epoch, metrics.ap_batch());
  return metrics;
}

void EpochValidation::make_memory_anew() {
  session_.restart(Weights::fixed);
  learn_training(data_, session_, 0, options_.window);
}

void EpochValidation::use_best() {
  if (session_has_best_) return;
  best_.give(session_);
  if (options_.weights_only) make_memory_anew();
}

}  // namespace frugal::tgn
