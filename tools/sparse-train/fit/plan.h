#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tools/sparse-train/data/dataset.h"
#include "tools/sparse-train/settings/train_options.h"

namespace frugal::sparse {

enum class OutputKind { dense, shared, lsh };
/// Output layer of a network, by its name.
OutputKind output_from_name(std::string_view name);
std::string_view output_name(OutputKind kind);

/// True if an option is given that only networks have.
bool asks_for_network(const TrainSettings& settings);

/// Properties of the data that the planner uses.
struct DataFacts {
  std::size_t examples = 0;
  std::uint32_t features = 0;
  std::uint32_t labels = 0;
  double features_per_example = 0;
  double labels_per_example = 0;
  bool single_label = false;  ///< no example has more than one label
  bool of_numbers = false;    ///< InputLayout::is_number_table(); facts_of() leaves it false
};
DataFacts facts_of(const Dataset& data);

/// The settings of a training after all choices: nothing that has an effect is left open.
struct Plan : TrainSettings {
  OutputKind output = OutputKind::dense;  ///< of the network
  std::vector<std::string> reasons;  ///< a line for people for each choice that they did not make

  bool uses_tables() const {
    return output == OutputKind::lsh || (output == OutputKind::shared && lsh.hard != 0);
  }
  /// Number of epochs of the network plus number of trees: the units of progress.
  int num_passes() const {
    return (has_network() ? epochs : 0) + (has_trees() ? static_cast<int>(forest.trees) : 0);
  }
};

/// Makes the plan. Fails (usage), with the option's name, on an unknown name or an invalid number.
Plan plan_training(const TrainSettings& settings, const DataFacts& facts);

}  // namespace frugal::sparse
