#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "libcore/nn/schedule.h"
#include "tools/sparse-train/data/dataset.h"
#include "tools/sparse-train/lsh/lsh_options.h"
#include "tools/sparse-train/network/network.h"
#include "tools/sparse-train/settings/train_options.h"
#include "tools/sparse-train/tree/forest_trainer.h"

namespace frugal::sparse {

enum class OutputKind { dense, shared, lsh };
/// Output layer of a network, by its name.
OutputKind output_from_name(std::string_view name);
std::string_view output_name(OutputKind kind);

/// True if the user set an option that only networks have.
bool asks_for_network(const TrainSettings& settings);

/// Properties of the data that the planner uses.
struct DataFacts {
  std::size_t examples = 0;
  std::uint32_t features = 0;
  std::uint32_t labels = 0;
  double features_per_example = 0;
  double labels_per_example = 0;
  bool single_label = false;  ///< no example has more than one label
};
DataFacts facts_of(const Dataset& data);

/// All choices of a training. reasons: a line for people for each choice that the user did not
/// make.
struct Plan {
  bool network = true;
  bool tree = false;  ///< a forest of label trees, alone or (hybrid) beside the network
  OutputKind output = OutputKind::dense;
  LossKind loss = LossKind::softmax;
  Activation activation = Activation::linear;
  OptimizerKind optimizer = OptimizerKind::adagrad;
  ScheduleKind schedule = ScheduleKind::linear;
  double learning_rate = 0.1;
  double warm_up = 0;
  float weight_decay = 0;
  int epochs = 3;
  std::uint32_t hidden = 15;
  std::vector<std::uint32_t> layers;
  double dropout = 0;
  std::uint32_t batch_size = 64;
  std::uint32_t negatives = 0;
  bool correct_sampling = true;
  bool half_labels = false;  ///< weights of labels are bf16
  LshOptions lsh;            ///< used if uses_tables(); its seed is the run's
  ForestOptions forest;      ///< used if tree is true; its seed is the run's
  std::vector<std::string> reasons;

  bool uses_tables() const { return output == OutputKind::lsh || lsh.hard != 0; }
  /// Value for --architecture: the kind of network, "tree" or "hybrid".
  std::string_view architecture() const;
  /// Number of epochs of the network plus number of trees: the units of progress.
  int num_passes() const {
    return (network ? epochs : 0) + (tree ? static_cast<int>(forest.trees) : 0);
  }
};

/// Makes the plan. Fails (usage), with the option's name, on an unknown name or an invalid number.
Plan plan_training(const TrainSettings& settings, const DataFacts& facts);

/// The plan as one line of "name=value": equal lines mean equal training.
std::string plan_text(const Plan& plan);

}  // namespace frugal::sparse
