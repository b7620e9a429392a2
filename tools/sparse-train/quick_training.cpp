#include "tools/sparse-train/quick_training.h"

#include "tools/sparse-train/model.h"
#include "tools/sparse-train/train_init.h"
#include "tools/sparse-train/training_setup.h"

namespace frugal::sparse {
namespace {

/// The network of `model`, in its place. `midway` may be empty.
void train_network(const Plan& plan, const Dataset& data, std::uint64_t seed, Precision precision,
                   const std::function<bool()>& stop, const MidwayLook& midway, QuickModel& model) {
  Network& network = *model.network;
  const std::unique_ptr<OutputLayer> output = make_output(plan, network, data, seed, precision);
  const TrainerSetup setup = trainer_setup(plan, data, seed, precision);
  Trainer trainer(network, *output, data, setup);
  const std::uint64_t half = static_cast<std::uint64_t>(plan.epochs) / 2;
  std::uint64_t epoch = 0;
  for (std::uint64_t step = 0; step < setup.schedule.total_steps && !stop(); ++epoch) {
    if (epoch == half && half > 0 && midway && midway(model)) return;
    step = trainer.run(step, step + trainer.batches_per_epoch(), stop);
  }
}

}  // namespace

std::unique_ptr<Scorer> QuickModel::scorer(std::size_t top_k) const {
  return make_scorer(network ? &*network : nullptr, forest ? &*forest : nullptr, label_counts,
                     {.top_k = top_k});
}

QuickModel train_quickly(const Plan& plan, const Dataset& data, std::uint64_t seed,
                         Precision precision, const std::function<bool()>& stop,
                         const QuickStart& start, const MidwayLook& midway) {
  QuickModel model;
  model.label_counts = count_labels(data);
  if (plan.tree) {
    ForestObserver observer;
    observer.progress = [&](double) { return !stop(); };
    grow_forest(data, plan.forest, observer, model.forest.emplace(), start.forest);
  }
  if (!plan.network) return model;
  model.network.emplace(network_shape(plan, data), plan.optimizer);
  model.network->initialize(seed);
  if (start.network != nullptr) copy_parameters(*start.network, *model.network);
  train_network(plan, data, seed, precision, stop, midway, model);
  return model;
}

}  // namespace frugal::sparse
