#pragma once
#include <cstdint>
#include <memory>
#include <string>

#include "tools/gnn-sample/data/stored_graph.h"
#include "tools/gnn-sample/model/stored_model.h"
#include "tools/gnn-sample/sampler/fanouts.h"
#include "tools/gnn-sample/settings/train_options.h"
#include "tools/gnn-sample/steps/batch_trainer.h"

namespace frugal::gnn {

/// Steps of a training, which decide who can make them.
struct TrainerNeeds {
  OptimizerOptions optimizer;
  std::uint32_t max_seeds = 0;  ///< of a mini-batch
  Fanouts fanouts;
  bool joint = false;  ///< a step has mini-batches of several ranks, or several
  int ranks = 1;
};

/// Makes the trainer for a model that is prepared for training: on the device of the options, or on
/// the CPU. An embedding of nodes and joint steps are trained on the CPU, and not both
/// (check_input()). Fails (unavailable) if a device is asked for by name and cannot do it. Borrows
/// the model and the graph.
std::unique_ptr<BatchTrainer> choose_trainer(StoredModel& stored, const StoredGraph& graph,
                                             const TrainOptions& options,
                                             const TrainerNeeds& needs);

/// Fails (unavailable) unless there is memory for at least the first and last weights of a network,
/// with gradients and Adam's two moments.
void check_network_memory(const std::string& graph, std::size_t features, std::size_t outputs,
                          std::size_t hidden);

}  // namespace frugal::gnn
