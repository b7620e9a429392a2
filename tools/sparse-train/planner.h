#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "libcore/nn/schedule.h"
#include "tools/sparse-train/data/dataset.h"
#include "tools/sparse-train/network/network.h"

namespace frugal {

enum class OutputKind { dense, shared };
OutputKind output_from_name(std::string_view name);
std::string_view output_name(OutputKind kind);

/// What the user may set; "auto" and 0 leave the choice to the planner.
struct TrainSettings {
  std::string output = "auto";
  std::string loss = "auto";
  std::string activation = "auto";
  std::string optimizer = "adagrad";
  std::string schedule = "linear";
  double learning_rate = 0;
  double warm_up = 0;  ///< share of all steps
  int epochs = 0;
  std::uint32_t hidden = 0;
  std::uint32_t batch_size = 0;
  std::uint32_t negatives = 0;
  bool correct_sampling = true;
};

/// What a planner looks at.
struct DataFacts {
  std::size_t examples = 0;
  std::uint32_t features = 0;
  std::uint32_t labels = 0;
  double features_per_example = 0;
  double labels_per_example = 0;
  bool single_label = false;  ///< no example has more than one label
};
DataFacts facts_of(const Dataset& data);

/// Every choice made. reasons: one line for people for each that was not the user's.
struct Plan {
  OutputKind output = OutputKind::dense;
  LossKind loss = LossKind::softmax;
  Activation activation = Activation::linear;
  OptimizerKind optimizer = OptimizerKind::adagrad;
  ScheduleKind schedule = ScheduleKind::linear;
  double learning_rate = 0.1;
  double warm_up = 0;
  int epochs = 3;
  std::uint32_t hidden = 15;
  std::uint32_t batch_size = 64;
  std::uint32_t negatives = 0;
  bool correct_sampling = true;
  std::vector<std::string> reasons;
};

/// Fails (usage) on an unknown name or a number that makes no sense, with the option's name.
Plan plan_training(const TrainSettings& settings, const DataFacts& facts);

/// The plan as one line of "name=value": equal lines mean equal training.
std::string plan_text(const Plan& plan);

}  // namespace frugal
