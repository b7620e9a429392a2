#include "tools/sparse-train/quick_training.h"

#include "tools/sparse-train/model.h"
#include "tools/sparse-train/train_init.h"
#include "tools/sparse-train/training_setup.h"

namespace frugal::sparse {
namespace {

Network train_network(const Plan& plan, const Dataset& data, std::uint64_t seed,
                      Precision precision, const std::function<bool()>& stop,
                      const Network* start) {
  Network network(network_shape(plan, data), plan.optimizer);
  network.initialize(seed);
  if (start != nullptr) copy_parameters(*start, network);
  const std::unique_ptr<OutputLayer> output = make_output(plan, network, data, seed, precision);
  const TrainerSetup setup = trainer_setup(plan, data, seed, precision);
  Trainer trainer(network, *output, data, setup);
  for (std::uint64_t step = 0; step < setup.schedule.total_steps && !stop();) {
    step = trainer.run(step, step + trainer.batches_per_epoch(), stop);
  }
  return network;
}

}  // namespace

std::unique_ptr<Scorer> QuickModel::scorer(std::size_t top_k) const {
  return make_scorer(network ? &*network : nullptr, forest ? &*forest : nullptr, label_counts,
                     {.top_k = top_k});
}

QuickModel train_quickly(const Plan& plan, const Dataset& data, std::uint64_t seed,
                         Precision precision, const std::function<bool()>& stop,
                         const QuickStart& start) {
  QuickModel model;
  model.label_counts = count_labels(data);
  if (plan.tree) {
    ForestObserver observer;
    observer.progress = [&](double) { return !stop(); };
    grow_forest(data, plan.forest, observer, model.forest.emplace(), start.forest);
  }
  if (plan.network) model.network = train_network(plan, data, seed, precision, stop, start.network);
  return model;
}

}  // namespace frugal::sparse
