#include "tools/gnn-sample/run/trainer_choice.h"

#include "libcore/base/error.h"
#include "libcore/device/registry.h"
#include "libcore/system/limits.h"
#include "libcore/train/accumulation.h"
#include "tools/gnn-sample/steps/device_trainer.h"

namespace frugal::gnn {
std::unique_ptr<BatchTrainer> choose_trainer(StoredModel& stored, const StoredGraph& graph,
                                             const TrainOptions& options,
                                             const TrainerNeeds& needs) {
  if (TrainedRows* const rows = stored.inputs.trained()) {
    return make_cpu_trainer(*stored.model, rows);
  }
  if (needs.joint) {
    refuse_device_for_joint_steps(options.device, needs.ranks);
    return make_cpu_trainer(*stored.model);
  }
  if (stored.value_scale) {
    if (!names_device(options.device)) return make_cpu_trainer(*stored.model);
    fail(ExitStatus::unavailable, "--device ", options.device,
         " has no engine for numbers to predict: use --device cpu");
  }
  DeviceTraining training;
  training.device = options.device;
  training.command = "gnn-sample train";
  training.features = *graph.features();
  training.mapped = graph.features_are_mapped();
  training.place = options.device_features;
  training.optimizer = needs.optimizer;
  training.loss = options.task == "links" ? "links" : stored.several_labels ? "labels" : "classes";
  training.batch_size = needs.max_seeds;
  training.expected =
      BlockSizes::of(needs.max_seeds, needs.fanouts, graph.num_nodes(), graph.num_edges());
  auto trainer = make_device_trainer(*stored.model, training);
  return trainer ? std::move(trainer) : make_cpu_trainer(*stored.model);
}

void check_network_memory(const std::string& graph, std::size_t features, std::size_t outputs,
                          std::size_t hidden) {
  const std::uint64_t numbers = (std::uint64_t{features} + outputs) * hidden * 4;
  check_memory(graph + ": a network of " + std::to_string(features) + " features and " +
                   std::to_string(outputs) + " outputs",
               numbers * sizeof(float));
}

}  // namespace frugal::gnn
