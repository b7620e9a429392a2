#include "tools/tgn-train/epoch_validation.h"

#include <utility>

namespace frugal {

// Neither memory is always the better one: made anew it is by .1 AP worse on a stream of commits
// and by .03 better on one of messages (tests/bench/RESULTS.md).
EpochValidation::Result EpochValidation::validate(int epoch, EventId from) {
  if (options_.final_memory == FinalMemory::anew) {
    make_memory_anew();
    return validate_with(epoch, true);
  }
  session_.settle();
  learn_training(data_, session_, from, options_.window);
  Result left = validate_with(epoch, false);
  if (options_.final_memory == FinalMemory::training) return left;
  make_memory_anew();
  Result made = validate_with(epoch, true);
  return made.metrics.ap_batch() > left.metrics.ap_batch() ? std::move(made) : std::move(left);
}

EpochValidation::Result EpochValidation::validate_with(int epoch, bool made_anew) {
  session_.keep_state();
  LinkEvaluation evaluation(data_, negatives_, session_, options_.batch);
  Result result{evaluation.run(EventPart::valid, false, nullptr), made_anew};
  session_.restore();
  session_has_best_ = best_.offer(epoch, result.metrics.ap_batch(), made_anew);
  return result;
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

}  // namespace frugal
