#include "tools/gnn-sample/run/graph_trainee.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "libcore/base/error.h"
#include "libcore/base/text.h"
#include "libcore/system/clock.h"
#include "tools/gnn-sample/tasks/inference.h"

namespace frugal::gnn {
namespace {

constexpr char kSmallerNumbers[] =
    "features or numbers to predict are too large: gnn-sample import --normalize-features "
    "standardize scales features; or lower --learning-rate";

}  // namespace

std::uint64_t GraphTrainee::total_steps() const {
  const std::uint64_t all = steps_per_epoch() * static_cast<std::uint64_t>(options_.epochs);
  return options_.steps == 0 ? all : std::min(all, options_.steps);
}

RunObserver GraphTrainee::run_observer() {
  RunObserver observer;
  observer.log = observer_.log;
  observer.progress = [this](const RunPosition& at) {
    if (!observer_.progress) return;
    observer_.progress(static_cast<double>(at.step) / static_cast<double>(steps_per_epoch()),
                       "loss " + format_number(at.mean_loss(), 4));
  };
  observer.validated = [this](const RunPosition& at, const Scores&, bool best) {
    if (observer_.validated) observer_.validated(at.epoch, at.loss, *validation_);
    if (best) result_.validation = std::move(validation_);
  };
  return observer;
}

void GraphTrainee::train_and_test(const RunCheckpoint& checkpoint, Communicator& ranks,
                                  Document* state) {
  RunSettings settings;
  settings.epochs = options_.epochs;
  settings.steps = total_steps();
  settings.patience = options_.patience;
  settings.validate_every = options_.eval_every;
  RunFigures& figures = result_;
  figures =
      run_training(*this, settings, {clock_, checkpoint, ranks, run_observer()}, state).figures;
  if (result_.stopped) return;
  expect_steps(result_, clock_);
  tests_ = true;
  try {
    test();
  } catch (const InferenceStopped&) {
    result_.test_stopped = true;
  }
}

void GraphTrainee::test() {
  const double began = wall_seconds();
  // A resumed run only has the score of an epoch before.
  const bool changed = can_validate() && complete_model();
  if (can_validate() && (changed || !result_.validation))
    result_.validation = evaluate(Part::valid);
  if (num_seeds(Part::test) != 0) result_.test = evaluate(Part::test);
  result_.eval_seconds += wall_seconds() - began;
}

Scores GraphTrainee::validate(const RunPosition&) {
  validation_ = evaluate(Part::valid);
  if (!std::isfinite(validation_->loss)) {
    fail(ExitStatus::bad_input, graph_->path(), ": the loss of the validation part is not finite; ",
         kSmallerNumbers);
  }
  if (std::isnan(validation_->score)) {
    fail(ExitStatus::bad_input, graph_->path(), ": --metric ", options_.select,
         " cannot be told of the validation part; choose another");
  }
  return {validation_->values, validation_->score, validation_->loss};
}

void GraphTrainee::check_trained(const Document& document) const {
  for (const Tensor& tensor : document.tensors) {
    if (tensor.dtype != Dtype::f32) continue;
    if (std::ranges::all_of(tensor.as<float>(), [](float x) { return std::isfinite(x); })) continue;
    fail(ExitStatus::bad_input, graph_->path(), ": training made numbers in '",
         printable(tensor.name), "' that are not finite, so that no model is written; ",
         kSmallerNumbers);
  }
}

}  // namespace frugal::gnn
