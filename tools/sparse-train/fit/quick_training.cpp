#include "tools/sparse-train/fit/quick_training.h"

#include "libcore/nn/optimizer_rules.h"
#include "libcore/train/training_run.h"
#include "tools/sparse-train/fit/continuation.h"
#include "tools/sparse-train/fit/setup.h"
#include "tools/sparse-train/model/model.h"
#include "tools/sparse-train/steps/trainer.h"

namespace frugal::sparse {
namespace {

/// Trains the network of a model, in its place. A look is taken after each epoch of the first half.
class QuickTraining final : public TrialTrainee {
 public:
  QuickTraining(const Plan& plan, const Dataset& data, const QuickRun& run, QuickModel& model)
      : half_(plan.epochs / 2),
        midway_(run.midway),
        model_(model),
        output_(make_output(plan, *model.network, data, run.seed, run.precision)),
        trainer_(*model.network, *output_, data,
                 trainer_setup(plan, data, run.seed, run.precision)) {}

  TrainedPart advance(const RunPosition& at, std::uint64_t,
                      const std::function<bool()>& interrupted) override {
    const std::uint64_t end =
        trainer_.batches_per_epoch() * static_cast<std::uint64_t>(at.epoch + 1);
    const std::uint64_t step = trainer_.run(at.step, end, interrupted);
    const NetworkTrainer::Progress progress = trainer_.take_progress();
    return {step - at.step, progress.examples, progress.loss, step == end};
  }
  bool can_validate() const override { return midway_ != nullptr; }
  Scores validate(const RunPosition& at) override {
    useless_ = at.epoch <= half_ && midway_(model_, static_cast<double>(at.epoch) / half_);
    return {};
  }
  bool suffices(const RunPosition&) const override { return useless_; }

 private:
  int half_;
  const MidwayLook& midway_;  ///< may be empty
  const QuickModel& model_;
  bool useless_ = false;
  std::unique_ptr<OutputLayer> output_;
  Trainer trainer_;
};

}  // namespace

std::unique_ptr<Scorer> QuickModel::scorer(std::size_t top_k) const {
  return make_scorer(network ? &*network : nullptr, forest ? &*forest : nullptr, label_counts,
                     {.top_k = top_k});
}

QuickModel train_quickly(const Plan& plan, const Dataset& data, const QuickRun& run) {
  QuickModel model;
  model.label_counts = count_labels(data);
  if (plan.has_trees()) {
    ForestObserver observer;
    observer.progress = [&](double) { return !run.stop(); };
    grow_forest(data, plan.forest, observer, model.forest.emplace(), run.start.forest);
  }
  if (!plan.has_network()) return model;
  model.network.emplace(network_shape(plan, data), optimizer_from_name(plan.optimizer));
  model.network->initialize(run.seed);
  if (run.start.network != nullptr) copy_parameters(*run.start.network, *model.network);
  QuickTraining training(plan, data, run, model);
  run_trial(training, run.epochs > 0 ? run.epochs : plan.epochs, run.stop);
  return model;
}

}  // namespace frugal::sparse
